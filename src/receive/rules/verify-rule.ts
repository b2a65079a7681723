import { UsageError } from '../../errors.js';
import { suggestion } from '../../nearest.js';
import type { Secret } from '../../sign/schemes/scheme.js';
import { pathProblem } from './path-pattern.js';
import { ruleParts, unknownPart, type RulePart } from './rule-parts.js';

/** A rule of `--verify` as it is written: its scheme is not looked up, its files are not read. */
export interface VerifyRuleText {
  readonly path: string;
  /** Undefined: as for paths without a rule. */
  readonly scheme: string | undefined;
  /** At least one, newest first. */
  readonly secrets: readonly SecretText[];
}

export type SecretText = { readonly text: Secret } | { readonly file: string };

/**
 * Reads a rule of `--verify`: `path=/stripe,scheme=stripe,secret-file=stripe.txt`. `secret-file` and
 * `secret` may be repeated. A comma inside of a part is written `\,`.
 *
 * @throws UsageError that names the part that is wrong, without its value
 */
export function parseVerifyRule(text: string): VerifyRuleText {
  let path: string | undefined;
  let scheme: string | undefined;
  const secrets: SecretText[] = [];
  for (const [index, part] of ruleParts(text).entries()) {
    const { name, value } = part;
    if (!names.includes(name)) throw wrong(whyUnknown(part, index));
    if (!value?.trim()) throw wrong(`${name} needs a value, like ${examples[name]!}`);
    if (name === 'secret') secrets.push({ text: value });
    else if (name === 'secret-file') secrets.push({ file: value.trim() });
    else if (name === 'path') path = once(path, name, value);
    else scheme = once(scheme, name, value);
  }
  if (path === undefined) throw wrong(`it has no path; add one, like ${examples.path!}`);
  const problem = pathProblem(path);
  if (problem !== undefined) throw wrong(problem);
  if (secrets.length === 0) throw wrong(`path=${path}: it has no secret; add secret-file=<path>`);
  return { path, scheme, secrets };
}

const examples: Readonly<Record<string, string>> = {
  path: 'path=/stripe',
  scheme: 'scheme=stripe',
  'secret-file': 'secret-file=stripe.txt',
  secret: 'secret=<secret>',
};

const names = Object.keys(examples);

function once(before: string | undefined, name: string, value: string): string {
  if (before === undefined) return value.trim();
  throw wrong(`${name} is duplicated; keep one`);
}

function whyUnknown(part: RulePart, index: number): string {
  const { name } = part;
  if (name === '') return `a part is empty; write it like ${examples.path!},${examples.scheme!}`;
  const hint = String.raw`${suggestion(name, names)}; a comma in a value is written \,`;
  return `${unknownPart(part, index)} is not a part of a rule; ${hint}`;
}

/** The rule is not shown: it may hold a secret. */
function wrong(what: string): UsageError {
  return new UsageError(`--verify: ${what}`, 'invalid_verify_rule');
}
