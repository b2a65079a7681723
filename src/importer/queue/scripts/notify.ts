import type { Script } from './script.js';

/**
 * Stores or removes a notice about a URL and publishes it. Of two pauses the longer one is kept.
 *
 * KEYS: record, notices. ARGV: field, notice or '' to remove it, end of a pause or 0, channel, message.
 */
export const notifyScript: Script = {
  name: 'notify',
  keys: 2,
  lua: `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  local stored = redis.call('HGET', KEYS[2], ARGV[1]) or ''
  local untilMs = tonumber(string.match(stored, '"untilMs":(%d+)') or -1)
  if tonumber(ARGV[3]) > untilMs then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
end
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1
`,
};
