import type { Script } from './script.js';

/**
 * Takes the next turns of a rate from a schedule by the server's clock. Returns the milliseconds from
 * now until the first one. Turns that nobody used, and up to half a second in which nobody asked, are
 * caught up at 3 % above the rate. A schedule too far ahead is from before the clock was set back. Of a
 * call that ioredis sends again after a reconnect, unused turns are not credited once more.
 *
 * KEYS: bucket: when the next turn is `due` by the rate alone, when it is `free`, and the last call of each client.
 * ARGV: turns per second, number of turns, turns of earlier leases that were not used, client, number of its call.
 */
export const leaseScript: Script = {
  name: 'lease',
  keys: 1,
  lua: `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval = 1000000 / tonumber(ARGV[1])
local furthest = now + math.max(10000000, 1000 * interval)
local stored = redis.call('HMGET', KEYS[1], 'due', 'free', ARGV[4])
local due, free = tonumber(stored[1] or now), tonumber(stored[2] or now)
local unused = tonumber(ARGV[3])
if tonumber(stored[3] or 0) >= tonumber(ARGV[5]) then unused = 0 end
if math.max(due, free) > furthest then due, free = now, now end
due = math.max(due - unused * interval, now - 500000)
local first = math.max(now, due, free)
local length = tonumber(ARGV[2]) * interval
due = due + length
if length > 0 then free = first + length / 1.03 end
local keepMs = math.ceil((math.max(due, free, now) - now) / 1000) + 60000
redis.call('HSET', KEYS[1], 'due', string.format('%.2f', due), 'free', string.format('%.2f', free), ARGV[4], ARGV[5])
redis.call('PEXPIRE', KEYS[1], keepMs)
return string.format('%.3f', (first - now) / 1000)
`,
};
