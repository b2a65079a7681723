import type { Script } from './script.js';

/**
 * Removes what is ours of a run, in one step that a full server takes, too. A newer run of the same import
 * keeps its pointer.
 *
 * KEYS: list of runs, pointer, then all keys of the run. ARGV: id of the run.
 */
export const removeScript: Script = {
  name: 'remove',
  keys: 12,
  lua: `
redis.call('UNLINK', unpack(KEYS, 3))
redis.call('ZREM', KEYS[1], ARGV[1])
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('UNLINK', KEYS[2]) end
`,
};
