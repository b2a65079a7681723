import { hasPassword } from '../flags/next-command.js';
import { shellArgument } from '../../output/shell.js';
import type { RunsContext } from './context.js';

type Connection = Pick<RunsContext, 'store' | 'flags'>;

/**
 * A command for the same server that can be pasted. The URL is repeated where it was typed, unless it has
 * a password: then, and where the environment has it, `EVFWD_STORE` is to be set.
 */
export function command(context: Connection, name: string, words: readonly string[]): string {
  return ['evfwd', name, ...words, ...connectionWords(context)].map(shellArgument).join(' ');
}

/** Whether the URL was typed with a password. */
export function needsVariable({ flags }: Connection): boolean {
  return flags.store !== undefined && hasPassword(flags.store);
}

function connectionWords(context: Connection): string[] {
  const { flags } = context;
  const words: string[] = [];
  if (flags.store !== undefined && !needsVariable(context)) words.push('--store', flags.store);
  if (flags.storeSchema !== undefined) words.push('--store-schema', flags.storeSchema);
  if (flags.storeCa !== undefined) words.push('--store-ca', flags.storeCa);
  return words;
}
