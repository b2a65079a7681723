import { readFileSync } from 'node:fs';

const everyMs = 10;
/** USER_HZ: Linux tells the times of a process in hundredths of a second, on every machine. */
const ticksPerSecond = 100;

/**
 * Watches a process from outside, where /proc exists. The returned function ends that and says what
 * was seen last: `{ cpuSeconds, peakMb }`, or nothing.
 */
export function watchUsage(pid) {
  let seen = {};
  const look = () => (seen = usageOf(pid) ?? seen);
  const timer = setInterval(look, everyMs);
  look();
  return () => {
    clearInterval(timer);
    return seen;
  };
}

function usageOf(pid) {
  try {
    const peak = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    // The name, in parentheses, can hold spaces; fields are counted from behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return peak
      ? { cpuSeconds: ticks / ticksPerSecond, peakMb: Number(peak[1]) / 1024 }
      : undefined;
  } catch {
    return undefined;
  }
}
