import { forgetDown } from './forget-down.js';
import type { Script } from './script.js';

/**
 * Marks a run as finished when every range has ended and no retry batch is left that can still be sent,
 * and, if asked to, a finished run as running when that no longer holds. Returns 1 if it is finished.
 *
 * KEYS: record; completed, failed, wait, active of the ranges; retry batches; failed of the retries;
 * notices.
 * ARGV: channel, '1' to open a finished run again, channel of all runs.
 */
export const settleScript: Script = {
  name: 'settle',
  keys: 8,
  lua: `${forgetDown}
local record = redis.call('HMGET', KEYS[1], 'status', 'total')
local status = record[1]
local total = tonumber(record[2] or '')
if status ~= 'running' and status ~= 'finished' then return 0 end
if status == 'finished' and ARGV[2] ~= '1' then return 1 end

local function hasEnded()
  if not total then return false end
  if redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[3]) < total then return false end
  if redis.call('LLEN', KEYS[4]) + redis.call('LLEN', KEYS[5]) > 0 then return false end
  local left = redis.call('HLEN', KEYS[6])
  if left == 0 then return true end
  for _, id in ipairs(redis.call('ZRANGE', KEYS[7], 0, -1)) do
    left = left - redis.call('HEXISTS', KEYS[6], id)
  end
  return left == 0
end

local isDone = hasEnded()
if isDone == (status == 'finished') then return isDone and 1 or 0 end
if isDone then
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[1], 'status', 'finished', 'endedAt', time[1] * 1000 + math.floor(time[2] / 1000))
else
  redis.call('HSET', KEYS[1], 'status', 'running')
  redis.call('HDEL', KEYS[1], 'endedAt')
  forgetDown(KEYS[8])
end
redis.call('PUBLISH', ARGV[1], '{"kind":"status"}')
if not isDone then redis.call('PUBLISH', ARGV[3], '{"kind":"status"}') end
return isDone and 1 or 0
`,
};
