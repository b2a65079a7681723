import { UsageError } from '../../errors.js';

/** Errors that say that a server does not take commands for some time, not that they are wrong. */
const refusals =
  /(?:^|[\s-])(OOM|READONLY|MISCONF|LOADING|NOREPLICAS|CLUSTERDOWN|MASTERDOWN|BUSY)\b/;

const explanations: Readonly<Record<string, string>> = {
  OOM: 'its memory is full (OOM)',
  READONLY: 'it is a read-only replica (READONLY)',
  MISCONF: 'it cannot write to its disk (MISCONF)',
  LOADING: 'it is loading its data (LOADING)',
  NOREPLICAS: 'it has too few replicas (NOREPLICAS)',
  CLUSTERDOWN: 'the cluster is down (CLUSTERDOWN)',
  MASTERDOWN: 'its primary is not reachable (MASTERDOWN)',
  BUSY: 'it is busy with a script (BUSY)',
};

/** Why the server takes no commands now, in words; undefined if that is not what the error says. */
export function refusalOf(error: unknown): string | undefined {
  if (!isReplyError(error)) return undefined;
  // Of a transaction, the reason is what the server said to its commands.
  const [first] = error.previousErrors ?? [];
  if (first) return refusalOf(first);
  // Redis 6.2 puts the errors of a script's commands behind words of its own.
  const isOfScript = error.message.startsWith('ERR Error running script');
  const match = refusals.exec(isOfScript ? error.message : error.message.split(' ')[0]!);
  return match ? explanations[match[1]!] : undefined;
}

/** Whether a command was in a pipeline whose connection was lost before it was answered. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

type ReplyError = Error & { command?: { name?: string }; previousErrors?: readonly Error[] };

/** An error that the server answers with, rather than one of the connection. */
export function isReplyError(error: unknown): error is ReplyError {
  return error instanceof Error && error.name === 'ReplyError';
}

/** Whether the server wants another password: it may be changed while it is used. */
export function isLoginError({ message }: Error): boolean {
  return /^(?:NOAUTH|WRONGPASS)\b/.test(message);
}

/** An answer that repeating would not change, as one line; commands are named, never their values. */
export function unexpectedReply(shown: string, error: Error & { command?: { name?: string } }) {
  return new UsageError(`the queue server ${shown} ${refusedText(error)}`, 'queue_refused', {
    cause: error,
  });
}

function refusedText(error: Error & { command?: { name?: string } }): string {
  if (isLoginError(error)) {
    return 'does not accept the login any more; set EVFWD_QUEUE to the URL with the new password, and start again: nothing is lost';
  }
  const name = error.command?.name?.toUpperCase() ?? 'a command';
  return `refused ${name}: ${replyText(error)}; check the rights of its user and its version`;
}

const maxReplyLength = 200;

/** The text of an answer without places of scripts and without values of commands. */
export function replyText({ message }: Error): string {
  return message
    .replace(/,? with args beginning with:[^]*/, '')
    .replace(/\.? script: [0-9a-f]{40}[^]*/, '')
    .slice(0, maxReplyLength);
}
