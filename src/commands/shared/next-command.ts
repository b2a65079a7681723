import { isAbsolute, relative } from 'node:path';
import { redactUrls } from '../../output/redact-urls.js';
import { shellArgument } from '../../output/shell.js';
import type { TypedFlag } from './typed-flags.js';

/** Flags that a retry of dead letters needs: those of the target, its speed and the state. */
const retryFlags = new Set([
  ...[
    '--url',
    '--header',
    '--secret',
    '--secret-file',
    '--scheme',
    '--also-scheme',
    '--also-secret-file',
  ],
  ...['--endpoint', '--body'],
  ...['--all-urls', '--ignore-integrations', '--config', '--profile'],
  ...['--timeout', '--retry-window', '--ca', '--cert', '--key', '--proxy'],
  ...['--concurrency', '--rate', '--state-dir'],
  // Of `replay`.
  ...['--drop-header', '--keep-signature', '--compare'],
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

/** The command that sends the dead letters at `path`, to the same target. */
export function retryCommand(
  path: string,
  typed: readonly TypedFlag[],
  cwd: string,
  program = importProgram,
): string {
  const flags = typed.filter(({ name }) => retryFlags.has(name));
  return commandOf([shorterPath(path, cwd)], flags, program);
}

/** The command that resumes an import, with all its flags; undefined if it is too long to be shown. */
export function resumeCommand(
  files: readonly string[],
  typed: readonly TypedFlag[],
  program = importProgram,
): string | undefined {
  const flags = typed.filter(({ name }) => name !== '--fresh');
  const command = commandOf(files, flags, program);
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

/** The environment variables that replace secrets of the command line, without those of `secretFilesFor`. */
export function variablesFor(typed: readonly TypedFlag[]): string[] {
  const secret = withSecretFiles(typed).filter(isSecret);
  return Object.keys(secretVariables)
    .filter((flag) => secret.some(({ name }) => name === flag))
    .map((flag) => secretVariables[flag]!);
}

/** The files that replace several secrets of the command line, newest first: a variable has only one. */
export function secretFilesFor(typed: readonly TypedFlag[]): string[] {
  const secrets = typed.filter(({ name }) => name === '--secret');
  return secrets.length < 2 ? [] : secrets.map((_, index) => `secret-${index + 1}.txt`);
}

/** The flags, with such a file in place of each secret. */
function withSecretFiles(typed: readonly TypedFlag[]): TypedFlag[] {
  const files = secretFilesFor(typed);
  if (files.length === 0) return [...typed];
  return typed.map((flag) =>
    flag.name === '--secret' ? { name: '--secret-file', value: files.shift()! } : flag,
  );
}

/** A queue is a secret only if its URL has a user or a password. */
function isSecret({ name, value = '' }: TypedFlag): boolean {
  return name === '--queue' ? value.includes('@') : name in secretVariables;
}

const importProgram = 'evfwd import';

function commandOf(files: readonly string[], typed: readonly TypedFlag[], program: string): string {
  const shown = withSecretFiles(typed).filter((flag) => !isSecret(flag));
  return [program, ...files.map(fileArgument), ...shown.map(flagText)].join(' ');
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
