import { shellArgument } from '../../output/shell.js';
import { defaultPrefix } from '../flags/queue.js';
import type { RunsContext } from './context.js';

type Connection = Pick<RunsContext, 'queue' | 'flags'>;

/**
 * A command for the same server that can be pasted. The URL is repeated where it was typed, unless it has
 * a password: then, and where the environment has it, `EVFWD_QUEUE` is to be set.
 */
export function command(context: Connection, name: string, words: readonly string[]): string {
  return ['evfwd', name, ...words, ...connectionWords(context)].map(shellArgument).join(' ');
}

/** Whether the URL was typed with a user or a password. */
export function needsVariable({ flags }: Connection): boolean {
  return flags.queue?.includes('@') === true;
}

function connectionWords(context: Connection): string[] {
  const { queue, flags } = context;
  const words: string[] = [];
  if (flags.queue !== undefined && !needsVariable(context)) words.push('--queue', queue.url);
  if (queue.prefix !== defaultPrefix) words.push('--queue-prefix', queue.prefix);
  if (flags.queueCa !== undefined) words.push('--queue-ca', flags.queueCa);
  if (flags.ca !== undefined) words.push('--ca', flags.ca);
  return words;
}
