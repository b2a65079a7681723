import { similar } from '../../nearest.js';
import { Refusal } from '../collect/refusal.js';

/** Of names that are shown in an error. */
const maxNames = 5;

/** The refusal of a name that is none of `names`, those of the configuration: 404, with the one that was likely meant. */
export function unknownName(
  kind: 'source' | 'destination',
  name: string,
  names: readonly string[],
): Refusal {
  const message = `the configuration has no such ${kind}; ${knownNames(name, names)}`;
  return new Refusal(404, `unknown_${kind}`, message);
}

function knownNames(text: string, names: readonly string[]): string {
  if (names.length === 0) return 'it has none';
  const near = similar(text, names);
  const shown = [...new Set([...(near === undefined ? [] : [near]), ...names])].slice(0, maxNames);
  const rest = names.length > shown.length ? `, and ${names.length - shown.length} more` : '';
  const known = `it has ${shown.join(', ')}${rest}`;
  return near === undefined ? known : `did you mean ${near}? (${known})`;
}
