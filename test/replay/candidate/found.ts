import { compareJson } from '../../../src/replay/candidate/compare-json.js';
import { IgnoredPlaces, type IgnoredPlace } from '../../../src/replay/candidate/ignore.js';
import { readJsonBody } from '../../../src/replay/candidate/json-value.js';
import { Noise } from '../../../src/replay/candidate/noise.js';
import { pathText } from '../../../src/json/path.js';

/** What is found, as `kind at`. */
export function found(
  one: string,
  other: string,
  { noise = new Noise(), learns = false, ignored = [] as IgnoredPlace[], again = '' } = {},
): string[] {
  const values = [one, other].map((text) => readJsonBody(Buffer.from(text))!);
  const baselineAgain = () => readJsonBody(Buffer.from(again));
  const rules = { noise, learns, ignored: new IgnoredPlaces(ignored), baselineAgain };
  const differences = compareJson(values[0]!, values[1]!, ['body'], rules);
  if (learns) for (const difference of differences) noise.learn(difference);
  return differences.map(({ kind, at }) => `${kind} ${pathText(at)}`);
}
