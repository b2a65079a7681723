/**
 * Lua: a function that removes from the notices which URLs are down. A run that goes on after a break finds
 * that out anew: nobody has probed them meanwhile.
 */
export const forgetDown = `
local function forgetDown(notices)
  for _, field in ipairs(redis.call('HKEYS', notices)) do
    if string.match(field, ':down$') then redis.call('HDEL', notices, field) end
  end
end
`;
