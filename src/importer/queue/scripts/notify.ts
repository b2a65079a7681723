import type { Script } from './script.js';

/**
 * Stores or removes a notice about a URL and publishes it. Of two pauses the one that ends later is kept,
 * of two times at which the URL went down the earlier one.
 *
 * KEYS: record, notices. ARGV: field, notice as JSON or '' to remove it, channel, message.
 */
export const notifyScript: Script = {
  name: 'notify',
  keys: 2,
  lua: `
local function replaces(new, old)
  if new.kind == 'paused' then return new.untilMs > old.untilMs end
  return new.kind == 'down' and new.sinceMs < old.sinceMs
end

if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  local stored = redis.call('HGET', KEYS[2], ARGV[1])
  if not stored or replaces(cjson.decode(ARGV[2]), cjson.decode(stored)) then
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  end
end
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1
`,
};
