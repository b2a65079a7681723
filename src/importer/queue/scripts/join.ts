import type { Script } from './script.js';

/**
 * Makes a run, unless its import has one already; returns the id of the run that is there now.
 *
 * KEYS: pointer, list of runs, record, meta of both queues.
 * ARGV: new id, id of the run to replace or '', plan, identity, length of event streams, prefix of records,
 * channel of all runs, public hash.
 */
export const joinScript: Script = {
  name: 'join',
  keys: 5,
  lua: `
local current = redis.call('GET', KEYS[1])
if current and current ~= ARGV[2] and redis.call('HEXISTS', ARGV[6] .. current, 'status') == 1 then
  return current
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[3], 'plan', ARGV[3], 'status', 'running', 'createdAt', now, 'identity', ARGV[4], 'publicHash', ARGV[8])
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('HSET', KEYS[4], 'opts.maxLenEvents', ARGV[5])
redis.call('HSET', KEYS[5], 'opts.maxLenEvents', ARGV[5])
redis.call('PUBLISH', ARGV[7], '{"kind":"status"}')
return ARGV[1]
`,
};
