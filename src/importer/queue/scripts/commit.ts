import { takeoversField } from '../keys.js';
import type { Script } from './script.js';

/**
 * Stores a commit of an item in one step, while its lock is ours and no earlier commit is missing;
 * 'stored' or 'lost'. A commit that is stored already, since ioredis sends commands again after a
 * reconnect, changes nothing. Takeovers of the item are counted from the last commit on.
 *
 * KEYS: lock, job, record, stats, dead letters, retry batches, stats of removed jobs of retries, latency.
 * ARGV: token, sequence, progress (its first member is the sequence), '1' for an item of retries, batch
 * to delete or '', changes of stats and of the latency as JSON objects, then two lists, each after its
 * length: dead letters, and ids with retry batches.
 */
export const commitScript: Script = {
  name: 'commit',
  keys: 8,
  lua: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'lost' end
if redis.call('EXISTS', KEYS[2]) == 0 or redis.call('EXISTS', KEYS[3]) == 0 then return 'lost' end
local sequence = tonumber(ARGV[2])
local progress = redis.call('HGET', KEYS[2], 'progress') or ''
local stored = tonumber(string.match(progress, '^{"sequence":(%d+)') or 0)
if stored == sequence then return 'stored' end
if stored ~= sequence - 1 then return 'lost' end

-- First a command that a full server refuses: a script is never stopped after its first write.
redis.call('HSET', KEYS[2], 'progress', ARGV[3])
redis.call('HDEL', KEYS[2], '${takeoversField}')
local function add(key, changes)
  for name, change in pairs(changes) do
    redis.call('HINCRBY', key, name, string.format('%.0f', change))
  end
end
local stats = cjson.decode(ARGV[6])
add(KEYS[4], stats)
if ARGV[4] == '1' then add(KEYS[7], stats) end
add(KEYS[8], cjson.decode(ARGV[7]))
local at = 8
local last = at + tonumber(ARGV[at])
for i = at + 1, last do
  redis.call('RPUSH', KEYS[5], ARGV[i])
end
if ARGV[5] ~= '' then redis.call('HDEL', KEYS[6], ARGV[5]) end
at = last + 1
last = at + tonumber(ARGV[at])
for i = at + 1, last, 2 do
  redis.call('HSET', KEYS[6], ARGV[i], ARGV[i + 1])
end
return 'stored'
`,
};
