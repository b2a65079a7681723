import { forgetDown } from './forget-down.js';
import type { Script } from './script.js';

/**
 * Changes the status of a run, if it has one of the statuses named last; 1 if it did. The id of the
 * change makes a command that ioredis sends again after a reconnect return the same.
 *
 * KEYS: record, stats, stats at the last resume, notices.
 * ARGV: new status, id of the change, channel, reason or '', channel of all runs, new limit of failures as
 * JSON or '', statuses that may change to it.
 */
export const setStatusScript: Script = {
  name: 'set-status',
  keys: 4,
  lua: `${forgetDown}
local stored = redis.call('HMGET', KEYS[1], 'status', 'change')
if stored[2] == ARGV[2] then return 1 end
local isAllowed = false
for i = 7, #ARGV do
  if ARGV[i] == stored[1] then isAllowed = true end
end
if not isAllowed then return 0 end
-- First a command that a full server takes: it then takes the rest of a script, and can be relieved.
redis.call('HDEL', KEYS[1], 'stopReason')
redis.call('HSET', KEYS[1], 'status', ARGV[1], 'change', ARGV[2])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'stopReason', ARGV[4]) end
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'stopAfter', ARGV[6]) end
if ARGV[1] == 'running' then
  redis.call('DEL', KEYS[3])
  local stats = redis.call('HGETALL', KEYS[2])
  for i = 1, #stats, 2 do
    redis.call('HSET', KEYS[3], stats[i], stats[i + 1])
  end
  forgetDown(KEYS[4])
end
if ARGV[1] == 'cancelled' then
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[1], 'endedAt', time[1] * 1000 + math.floor(time[2] / 1000))
end
redis.call('PUBLISH', ARGV[3], '{"kind":"status"}')
if ARGV[1] == 'running' then redis.call('PUBLISH', ARGV[5], '{"kind":"status"}') end
return 1
`,
};
