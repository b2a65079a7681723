import type { Script } from './script.js';

/**
 * Takes the next turns of a rate from a schedule by the server's clock. Returns the milliseconds from
 * now until the first one. Turns that nobody used, and up to half a second in which nobody asked, are
 * caught up at 3 % above the rate. A schedule too far ahead is from before the clock was set back.
 *
 * KEYS: bucket: when the next turn is due by the rate alone, and when it is free.
 * ARGV: turns per second, number of turns, turns of earlier leases that were not used.
 */
export const leaseScript: Script = {
  name: 'lease',
  keys: 1,
  lua: `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval = 1000000 / tonumber(ARGV[1])
local furthest = now + math.max(10000000, 1000 * interval)
local due, free = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
due, free = tonumber(due or now), tonumber(free or now)
if math.max(due, free) > furthest then due, free = now, now end
due = math.max(due - tonumber(ARGV[3]) * interval, now - 500000)
local first = math.max(now, due, free)
local length = tonumber(ARGV[2]) * interval
due = due + length
if length > 0 then free = first + length / 1.03 end
local keepMs = math.ceil((math.max(due, free, now) - now) / 1000) + 60000
redis.call('SET', KEYS[1], string.format('%.2f %.2f', due, free), 'PX', keepMs)
return string.format('%.3f', (first - now) / 1000)
`,
};
