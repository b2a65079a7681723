import { isAbsolute, relative } from 'node:path';
import { redactUrls } from '../../output/redact-urls.js';
import { shellArgument } from '../../output/shell.js';
import type { TypedFlag } from '../shared/typed-flags.js';

/** Flags that a retry of dead letters needs: those of the target, its speed and the state. */
const retryFlags = new Set([
  ...['--url', '--header', '--secret-file', '--scheme', '--also-scheme', '--also-secret-file'],
  ...['--endpoint', '--body'],
  ...['--all-urls', '--ignore-integrations', '--config', '--profile'],
  ...['--timeout', '--retry-window', '--ca', '--cert', '--key', '--proxy'],
  ...['--concurrency', '--rate', '--state-dir'],
]);

/** Flags that lead to the server with the runs. */
const queueFlags = new Set(['--queue', '--queue-prefix', '--queue-ca']);

/** Flags with a value that must not be shown, and the environment variable to use instead. */
const secretVariables: Readonly<Record<string, string>> = {
  '--secret': 'EVFWD_SECRET',
  '--write-key': 'EVFWD_WRITE_KEY',
  '--queue': 'EVFWD_QUEUE',
};

/** A longer command is not readable; it would name hundreds of files. */
const longest = 2_000;

/** The command that imports the dead letters at `path`, to the same target. */
export function retryCommand(path: string, typed: readonly TypedFlag[], cwd: string): string {
  const flags = typed.filter(({ name }) => retryFlags.has(name));
  return commandOf([shorterPath(path, cwd)], flags);
}

/** The command that resumes an import, with all its flags; undefined if it is too long to be shown. */
export function resumeCommand(
  files: readonly string[],
  typed: readonly TypedFlag[],
): string | undefined {
  const flags = typed.filter(({ name }) => name !== '--fresh');
  const command = commandOf(files, flags);
  return command.length > longest ? undefined : command;
}

/** The command that starts a worker for the queue of these flags. */
export function workerCommand(typed: readonly TypedFlag[]): string {
  return queueCommand('evfwd worker', typed);
}

/** `command` with the flags of the queue that were typed. */
export function queueCommand(command: string, typed: readonly TypedFlag[]): string {
  const flags = typed.filter((flag) => queueFlags.has(flag.name) && !isSecret(flag));
  return [command, ...flags.map(flagText)].join(' ');
}

/** ` (set EVFWD_QUEUE first)` if the commands of these flags need it. */
export function queueVariable(typed: readonly TypedFlag[]): string {
  const isShown = typed.some((flag) => flag.name === '--queue' && !isSecret(flag));
  return isShown ? '' : ' (set EVFWD_QUEUE first)';
}

/** The environment variables that replace secrets of the command line. */
export function variablesFor(typed: readonly TypedFlag[]): string[] {
  const secret = typed.filter(isSecret);
  return Object.keys(secretVariables)
    .filter((flag) => secret.some(({ name }) => name === flag))
    .map((flag) => secretVariables[flag]!);
}

/** A queue is a secret only if its URL has a user or a password. */
function isSecret({ name, value = '' }: TypedFlag): boolean {
  return name === '--queue' ? value.includes('@') : name in secretVariables;
}

function commandOf(files: readonly string[], typed: readonly TypedFlag[]): string {
  const shown = typed.filter((flag) => !isSecret(flag));
  return ['evfwd import', ...files.map(fileArgument), ...shown.map(flagText)].join(' ');
}

/** A name that begins with a dash would be a flag. */
function fileArgument(file: string): string {
  return shellArgument(file.startsWith('-') && file !== '-' ? `./${file}` : file);
}

function flagText({ name, value }: TypedFlag): string {
  if (value === undefined) return name;
  if (name === '--header') return `-H ${shellArgument(withoutValue(value))}`;
  return `${name} ${shellArgument(redactUrls(value))}`;
}

/** `Authorization: …`: header values are never shown. */
function withoutValue(header: string): string {
  return `${header.split(':', 1)[0]!}: …`;
}

function shorterPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path;
  const fromHere = relative(cwd, path);
  return fromHere.length < path.length ? fromHere : path;
}
