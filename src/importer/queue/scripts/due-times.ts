import type { Script } from './script.js';

/**
 * When retry batches are due, without reading them as a whole; '' for one that is not there.
 *
 * KEYS: retry batches. ARGV: ids.
 */
export const dueTimesScript: Script = {
  name: 'due-times',
  keys: 1,
  lua: `
local times = {}
for i, id in ipairs(ARGV) do
  local batch = redis.call('HGET', KEYS[1], id)
  times[i] = batch and string.match(batch, '^{"dueAt":(%d+)') or ''
end
return times
`,
};
