/**
 * Replaces `Date.now` of this thread by the clock of the server, in whole milliseconds, and returns what
 * undoes it. BullMQ compares `Date.now` of a worker with the times of delayed jobs and has no option for
 * a clock: on a machine whose clock is an hour ahead it would start retries an hour early. Other threads
 * and `new Date()` keep the machine's time.
 */
export function followServerClock(now: () => number): () => void {
  const original = Date.now;
  Date.now = () => Math.floor(now());
  return () => {
    Date.now = original;
  };
}
