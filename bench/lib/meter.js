// Loaded into a Node process that is measured (node --import …): tells at its end what it has used.
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakMb: (peakKb() ?? maxRSS) / 1024,
  };
  writeFileSync(process.env.EVFWD_BENCH_METER, JSON.stringify(usage));
});

/** Linux counts the parent's memory in maxRSS, from the moment between fork and exec. */
function peakKb() {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
