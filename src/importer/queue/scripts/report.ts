import type { Script } from './script.js';

/**
 * Notes that a worker is at work on a run, and removes workers not heard of for a minute.
 *
 * KEYS: record, workers. ARGV: worker, items in hand.
 */
export const reportScript: Script = {
  name: 'report',
  keys: 2,
  lua: `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. string.format('%.0f', now))
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  local at = tonumber(string.match(all[i + 1], ' (%d+)$') or 0)
  if at < now - 60000 then redis.call('HDEL', KEYS[2], all[i]) end
end
return 1
`,
};
