import { UsageError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import { quoted } from '../../quoted.js';
import { plainSchemes } from './plain.js';
import type { Scheme } from './scheme.js';
import { timedSchemes } from './timed.js';

const order = [
  'x-signature',
  'standard-webhooks',
  'svix',
  'github',
  'github-sha1',
  'stripe',
  'shopify',
  'slack',
  'hookdeck',
  'twitch',
  'convoy',
  'convoy-advanced',
  'twilio',
];

/** The presets by name, `x-signature` first. */
export const presets: ReadonlyMap<string, Scheme> = new Map(
  [...plainSchemes, ...timedSchemes]
    .sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
    .map((scheme) => [scheme.name, frozen(scheme)]),
);

/**
 * The scheme of this name: a preset or one of `own`.
 *
 * @param where begins the message: `--scheme`, `profile staging`, …
 * @throws UsageError that names the nearest known one
 */
export function schemeNamed(name: string, own: readonly Scheme[], where: string): Scheme {
  const scheme = presets.get(name) ?? own.find((one) => one.name === name);
  if (scheme) return scheme;
  const names = [...presets.keys(), ...own.map((one) => one.name)];
  const shown = quoted(name, 'this name');
  throw new UsageError(
    `${where}: there is no signature scheme ${shown} (Did you mean ${nearest(name, names)!}?); expected one of ${names.join(', ')}`,
    'unknown_scheme',
  );
}

/** All headers of a scheme, those that it only accepts included, in lower case. */
export function headerNamesOf(scheme: Scheme): string[] {
  const { header, secondHeader, timestamp, id, aliases = [] } = scheme;
  const accepted = aliases.flatMap((names) => [names.signature, names.timestamp, names.id]);
  return [header, secondHeader, timestamp?.header, id?.header, ...accepted]
    .filter((name) => name !== undefined)
    .map((name) => name.toLowerCase());
}

/** The same scheme, which nobody can change. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
