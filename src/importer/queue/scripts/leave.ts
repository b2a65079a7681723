import type { Script } from './script.js';

/**
 * Removes the report of a worker. Of a run that was removed meanwhile, BullMQ has written keys anew at its
 * checks for stalled items: they go as well.
 *
 * KEYS: record, workers, then keys that nobody needs without the record. ARGV: worker.
 */
export const leaveScript: Script = {
  name: 'leave',
  keys: 7,
  lua: `
redis.call('HDEL', KEYS[2], ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('UNLINK', unpack(KEYS, 3)) end
`,
};
