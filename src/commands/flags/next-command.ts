import { isAbsolute, relative } from 'node:path';
import { redactUrls } from '../../output/redact-urls.js';
import { shellArgument } from '../../output/shell.js';
import { importChangeFlags } from './changes.js';
import type { TypedFlag } from './flag.js';
import { storeFlags } from './store.js';
import { secretFlags } from './signing.js';

/** A longer command is not readable; it would name hundreds of files. */
const longest = 2_000;

/** The command that sends the dead letters at `path`, to the same target. */
export function retryCommand(
  path: string,
  typed: readonly TypedFlag[],
  cwd: string,
  program = importProgram,
): string {
  // Otherwise the dead letters have the events as they were sent.
  const haveRecords = typed.every(
    ({ flag }) => flag !== importChangeFlags.deadLetterChanged && flag.name !== '--transform',
  );
  const flags = typed.filter(
    ({ flag }) => flag.repeated === 'retry' || (flag.repeated === 'records' && haveRecords),
  );
  return commandOf([shorterPath(path, cwd)], flags, program);
}

/** The command that resumes an import, with all its flags; undefined if it is too long to be shown. */
export function resumeCommand(
  files: readonly string[],
  typed: readonly TypedFlag[],
  program = importProgram,
): string | undefined {
  const flags = typed.filter(({ flag }) => flag.repeated !== 'never');
  const command = commandOf(files, flags, program);
  return command.length > longest ? undefined : command;
}

/** The command that starts a worker for the store of these flags. */
export function workerCommand(typed: readonly TypedFlag[]): string {
  return storeCommand('evfwd worker', typed);
}

/** `command` with the flags of the store that were typed. */
export function storeCommand(command: string, typed: readonly TypedFlag[]): string {
  const flags = typed.filter((each) => each.flag.repeated === 'store' && !isSecret(each));
  return [command, ...flags.map(flagText)].join(' ');
}

/** ` (set EVFWD_STORE first)` if the commands of these flags need it. */
export function storeVariable(typed: readonly TypedFlag[]): string {
  const isShown = typed.some((each) => each.flag === storeFlags.store && !isSecret(each));
  return isShown ? '' : ' (set EVFWD_STORE first)';
}

/** The environment variables that replace secrets of the command line, without those of `secretFilesFor`. */
export function variablesFor(typed: readonly TypedFlag[]): string[] {
  const variables = withSecretFiles(typed)
    .filter(isSecret)
    .flatMap(({ flag }) => flag.variable ?? []);
  return [...new Set(variables)];
}

/** The files that replace several secrets of the command line, newest first: a variable has only one. */
export function secretFilesFor(typed: readonly TypedFlag[]): string[] {
  const secrets = typed.filter(({ flag }) => flag === secretFlags.secret);
  return secrets.length < 2 ? [] : secrets.map((_, index) => `secret-${index + 1}.txt`);
}

/** The flags, with such a file in place of each secret. */
function withSecretFiles(typed: readonly TypedFlag[]): TypedFlag[] {
  const { secret, secretFile } = secretFlags;
  const files = secretFilesFor(typed);
  if (files.length === 0) return [...typed];
  return typed.map((each) =>
    each.flag === secret ? { flag: secretFile, value: files.shift()! } : each,
  );
}

function isSecret({ flag: { secret }, value = '' }: TypedFlag): boolean {
  if (secret === 'password') return hasPassword(value);
  return secret === 'value';
}

/** Whether a URL has one, `postgres://user:password@host/db`. */
export function hasPassword(url: string): boolean {
  return /^[^/]*\/\/[^/?#]*:[^/?#]*@/.test(url);
}

const importProgram = 'evfwd import';

function commandOf(files: readonly string[], typed: readonly TypedFlag[], program: string): string {
  const shown = withSecretFiles(typed).filter((each) => !isSecret(each));
  return [program, ...files.map(fileArgument), ...shown.map(flagText)].join(' ');
}

/** A name that begins with a dash would be a flag. */
function fileArgument(file: string): string {
  return shellArgument(file.startsWith('-') && file !== '-' ? `./${file}` : file);
}

function flagText({ flag: { name, short = name, secret }, value }: TypedFlag): string {
  if (value === undefined) return name;
  if (secret === 'header') return `${short} ${shellArgument(withoutValue(value))}`;
  if (secret === 'url') return `${name} ${shellArgument(value.replace(/\/\/.*@/, '//…@'))}`;
  // Its query says how to connect, and holds no secret.
  if (secret === 'password') return `${name} ${shellArgument(value)}`;
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
