import type { Answer } from './client.js';
import type { Difference, Place } from './noise.js';

/**
 * What differs but for the address of each version, as in links to itself. Where that is something else, the values are
 * those that the candidate would have at the address of the first version.
 *
 * @param from host and port of the candidate
 * @param to those of the first version
 * @param compare of a response of the candidate with that of the first version
 */
export function differencesBesideAddress(
  candidate: Answer,
  from: string,
  to: string,
  compare: (candidate: Answer) => Difference[],
): Difference[] {
  const differences = compare(candidate);
  if (differences.length === 0 || from === to || !names(candidate, from)) return differences;
  const others = compare(withAddress(candidate, from, to));
  // What is the same in both says the address of the candidate in both.
  return others.filter(({ at }) => differences.some((each) => isWithin(each.at, at)));
}

function names({ headers, body }: Answer, address: string): boolean {
  return body.includes(address) || headers.some((text) => text.includes(address));
}

function withAddress(answer: Answer, from: string, to: string): Answer {
  const replaced = (text: string): string => text.replaceAll(from, () => to);
  return {
    ...answer,
    headers: answer.headers.map(replaced),
    body: Buffer.from(replaced(answer.body.toString('latin1')), 'latin1'),
  };
}

/** Whether one of the places is within the other, or the same. */
function isWithin(one: Place, other: Place): boolean {
  return one.every((name, i) => i >= other.length || name === other[i]);
}
