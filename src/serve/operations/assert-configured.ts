import { similar } from '../../nearest.js';
import { Refusal } from '../collect/refusal.js';

/** Of names that are shown in an error. */
const maxNames = 5;

/** @throws Refusal 404 for a name that is not in the configuration, with the one that was likely meant */
export function assertConfigured(
  kind: 'source' | 'destination',
  name: string,
  configured: readonly { readonly name: string }[],
): void {
  const names = configured.map((one) => one.name);
  if (names.includes(name)) return;
  const message = `the configuration has no such ${kind}; ${knownNames(name, names)}`;
  throw new Refusal(404, `unknown_${kind}`, message);
}

function knownNames(text: string, names: readonly string[]): string {
  if (names.length === 0) return 'it has none';
  const near = similar(text, names);
  const shown = [...new Set([...(near === undefined ? [] : [near]), ...names])].slice(0, maxNames);
  const rest = names.length > shown.length ? `, and ${names.length - shown.length} more` : '';
  const known = `it has ${shown.join(', ')}${rest}`;
  return near === undefined ? known : `did you mean ${near}? (${known})`;
}
