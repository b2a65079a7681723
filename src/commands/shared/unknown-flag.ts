import type { Command } from 'commander';
import { similar } from '../../nearest.js';

/** Names an unknown flag without its value, which may be a secret, and the flag that may be meant. */
export function unknownFlag(text: string, command: Command): string {
  const [, typed = ''] = /'(-{1,2}[\w-]*)/.exec(text) ?? [];
  const known = command.options.flatMap(({ long }) => long ?? []).concat('--help');
  const gone = goneFlags[typed];
  if (gone !== undefined) return gone;
  const named = command.options.find(({ long }) => long === typed);
  if (named && !named.required) return `option '${typed}' takes no value`;
  const flag = typed.startsWith('--') ? longFlag(typed, known) : shortFlag(typed, known);
  const near = similar(flag.meant, known);
  const advice = near === undefined ? elsewhere(command) : ` (Did you mean ${near}?)`;
  return `unknown option '${flag.shown}'${advice}`;
}

function elsewhere({ parent }: Command): string {
  return parent ? '' : ' (put flags after the command)';
}

/** Flags that there were, and what to use in their place. */
const goneFlags: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['--queue', '--queue-prefix', '--queue-ca'].map((name) => [
      name,
      `${name} is gone: machines share PostgreSQL; use --store postgres://user@host/database`,
    ]),
  ),
  '--ranges': '--ranges is gone: with --store, use --parts',
};

interface Flag {
  /** The printed form. */
  readonly shown: string;
  /** The form that is compared with the known flags. */
  readonly meant: string;
}

/**
 * Which known flag was meant, and what is shown of the typed one: only the beginning that both share, since the rest
 * may be a value without a space, as in `--secrethunter2`.
 */
function longFlag(typed: string, known: readonly string[]): Flag {
  const beginnings = known.filter((name) => typed.startsWith(name));
  if (beginnings.length === 0) return { shown: typed, meant: typed };
  const longest = beginnings.reduce((a, b) => (b.length > a.length ? b : a));
  const meant = similar(typed, known) ?? longest;
  const shared = sharedBeginning(typed, meant);
  return { shown: shared === typed ? typed : `${shared}…`, meant };
}

function sharedBeginning(a: string, b: string): string {
  let end = 0;
  while (end < a.length && a[end] === b[end]) end += 1;
  return a.slice(0, end);
}

/** `-secret` lacks a dash; in `-xhunter2` a value follows the letter. */
function shortFlag(typed: string, known: readonly string[]): Flag {
  const long = `-${typed}`;
  return known.includes(long)
    ? { shown: typed, meant: long }
    : { shown: typed.slice(0, 2), meant: typed.slice(0, 2) };
}
