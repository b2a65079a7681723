// Loaded into a measured Node process (node --import …): reports its resource usage at the end.
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakMb: (peakKb() ?? maxRSS) / 1024,
  };
  writeFileSync(process.env.EVFWD_BENCH_METER, JSON.stringify(usage));
});

/** Linux counts the parent's memory in maxRSS, from the time between fork and exec. */
function peakKb() {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
