import { UsageError } from '../../errors.js';
import { similar } from '../../nearest.js';
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
 * @throws UsageError that names a similar one, and all
 */
export function schemeNamed(name: string, own: readonly Scheme[], where: string): Scheme {
  const scheme = presets.get(name) ?? own.find((one) => one.name === name);
  if (scheme) return scheme;
  const names = [...presets.keys(), ...own.map((one) => one.name)];
  throw new UsageError(
    `${where}: ${problemOf(name, names)}; expected one of ${names.join(', ')}`,
    'unknown_scheme',
  );
}

function problemOf(name: string, names: readonly string[]): string {
  if (name === 'auto') return 'auto only verifies; to sign, name the scheme';
  const meant = similar(name, names);
  const hint = meant === undefined ? '' : ` (Did you mean ${meant}?)`;
  return `there is no signature scheme ${quoted(name, 'of this name')}${hint}`;
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
