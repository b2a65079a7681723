import type { Source } from '../../../src/serve/types.js';

/** The key in the captured requests, and short ones. */
const names: ReadonlyMap<string, string> = new Map([
  ['cKITwritekey0000000000001', 'kit'],
  ['k1', 'web'],
  ['k2', 'app'],
  ['off', 'disabled'],
]);

export function someSource(writeKey: string): Source | undefined {
  const name = names.get(writeKey);
  return name === undefined
    ? undefined
    : { name, writeKey, isEnabled: name !== 'disabled', destinations: ['crm'] };
}
