import { UsageError } from '../errors.js';

/** An earlier number of milliseconds, before March 1973, is one of seconds by mistake. */
const earliest = 1e11;

/**
 * A time of a caller in milliseconds since 1970; now without one.
 * @throws UsageError for a number of seconds, and for what is not a time
 */
export function millisecondsOf(time: number | Date | undefined, option: string): number {
  if (time === undefined) return Date.now();
  const ms = time instanceof Date ? time.getTime() : time;
  if (typeof ms !== 'number' || Number.isNaN(new Date(ms).getTime())) {
    throw new UsageError(`${option} must be milliseconds since 1970, or a valid Date`, 'bad_time');
  }
  if (!(time instanceof Date) && ms < earliest) {
    throw new UsageError(
      `${option} must be milliseconds since 1970; this number is too small, so multiply seconds by 1000`,
      'bad_time',
    );
  }
  return ms;
}
