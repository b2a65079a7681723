import type { Script } from './script.js';

/**
 * Stores a commit of an item in one step, while its lock is ours and no earlier commit is missing;
 * 'stored' or 'lost'. A commit that is stored already, since ioredis sends commands again after a
 * reconnect, changes nothing.
 *
 * KEYS: lock, job, record, stats, dead letters, retry batches, stats of removed jobs of retries.
 * ARGV: token, sequence, progress (its first member is the sequence), '1' for an item of retries, batch
 * to delete or '', then three lists, each after its length: names and changes of counts, dead letters,
 * ids and retry batches.
 */
export const commitScript: Script = {
  name: 'commit',
  keys: 7,
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
local at = 6
local last = at + tonumber(ARGV[at])
for i = at + 1, last, 2 do
  redis.call('HINCRBY', KEYS[4], ARGV[i], ARGV[i + 1])
  if ARGV[4] == '1' then redis.call('HINCRBY', KEYS[7], ARGV[i], ARGV[i + 1]) end
end
at = last + 1
last = at + tonumber(ARGV[at])
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
