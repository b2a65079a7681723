import type { RequestDetail } from '../../../src/api/listen.js';
import type { Difference } from './difference.js';

type Headers = RequestDetail['headers'];

/** The headers that differ, by their names in lower case; a repeated one has a line for each value. */
export function diffHeaders(before: Headers, after: Headers): Difference[] {
  const [old, current] = [byName(before), byName(after)];
  return [...new Set([...old.keys(), ...current.keys()])]
    .map((name) => ({ name, before: old.get(name), after: current.get(name) }))
    .filter(({ before: one, after: other }) => one !== other);
}

function byName(headers: Headers): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const others = values.get(key);
    values.set(key, others === undefined ? value : `${others}\n${value}`);
  }
  return values;
}
