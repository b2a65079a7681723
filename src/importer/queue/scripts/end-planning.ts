import type { Script } from './script.js';

/**
 * Notes the number of ranges of a run; 0 if the run was removed.
 *
 * KEYS: record. ARGV: number, channel.
 */
export const endPlanningScript: Script = {
  name: 'end-planning',
  keys: 1,
  lua: `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'total', ARGV[1])
redis.call('PUBLISH', ARGV[2], '{"kind":"status"}')
return 1
`,
};
