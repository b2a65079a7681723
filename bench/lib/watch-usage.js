import { readFileSync } from 'node:fs';

const everyMs = 10;
/** USER_HZ: Linux reports the times of a process in hundredths of a second, on every machine. */
const ticksPerSecond = 100;

/**
 * Samples a process from outside, if /proc exists. The returned function stops that and returns the
 * latest sample: `{ cpuSeconds, peakMb }`, or `{}`.
 */
export function watchUsage(pid) {
  let seen = {};
  const sample = () => (seen = usageOf(pid) ?? seen);
  const timer = setInterval(sample, everyMs);
  sample();
  return () => {
    clearInterval(timer);
    return seen;
  };
}

function usageOf(pid) {
  try {
    const peak = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    // The name, in parentheses, can contain spaces; fields are counted after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return peak
      ? { cpuSeconds: ticks / ticksPerSecond, peakMb: Number(peak[1]) / 1024 }
      : undefined;
  } catch {
    return undefined;
  }
}
