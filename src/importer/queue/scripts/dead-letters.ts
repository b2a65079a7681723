import type { Script } from './script.js';

/**
 * Lines of the dead-letter list, at most so many, and none more after so many bytes: a line may have
 * megabytes. Few are read at once, since the server holds them as well.
 *
 * KEYS: dead letters. ARGV: first line (0 is the first of all), number of lines, bytes.
 */
export const deadLettersScript: Script = {
  name: 'dead-letters',
  keys: 1,
  lua: `
local lines, bytes = {}, 0
local next = tonumber(ARGV[1])
local ending = next + tonumber(ARGV[2])
while next < ending and bytes < tonumber(ARGV[3]) do
  local some = redis.call('LRANGE', KEYS[1], next, math.min(next + 4, ending) - 1)
  if #some == 0 then break end
  for _, line in ipairs(some) do
    lines[#lines + 1] = line
    bytes = bytes + #line
  end
  next = next + #some
end
return lines
`,
};
