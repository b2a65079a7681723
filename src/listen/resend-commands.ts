import { isUtf8 } from 'node:buffer';
import type { RequestDetail } from '../api/listen.js';
import { findMember, scanMembers } from '../json/members.js';
import { builtHere, isProblem } from '../events/event.js';
import { parseEvent } from '../events/parse.js';
import { isAliasBody, renameAlias } from '../events/wrapper.js';
import { isHopByHop } from '../http/header-rules.js';
import { printable } from '../output/printable.js';
import { curlHeader, shellWord } from '../output/shell.js';
import { inflated } from './inflate.js';
import { elementsOfBatch, notesOf } from './notes.js';
import type { ReceivedRequest } from './received-request.js';

/** A request, as far as it can be sent again. */
type Request = Pick<ReceivedRequest, 'method' | 'path' | 'headers' | 'body' | 'isTooLarge'>;

/**
 * Shell commands that send a request again, to be pasted: `curl` the same bytes with the same
 * headers, `evfwd` its events, signed again, if evfwd accepts them. Neither contains the shared secret, which `evfwd` reads
 * from EVFWD_SECRET, and no data of a sender can control the terminal.
 *
 * @param url of this receiver, without a path
 */
export function resendCommands(request: Request, url: string): RequestDetail['commands'] {
  if (request.isTooLarge) return { curl: notKept, evfwd: null, evfwdCommand: null };
  return { curl: curlCommand(request, url), ...evfwdCommand(request, url) };
}

const notKept = '# the body of this request was too large, and was not kept';

function curlCommand({ method, path, headers, body }: Request, url: string): string {
  // -g: brackets and braces belong to the URL and are not patterns of curl.
  const words = ['curl -g', method === 'HEAD' ? '--head' : `-X ${method}`, ...targetOf(path, url)];
  const names = new Set<string>();
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (isHopByHop(name, headers)) continue;
    names.add(name.toLowerCase());
    words.push(`-H ${curlHeader(name, headers[i + 1]!)}`);
  }
  // Headers that curl would add by itself.
  for (const name of ['User-Agent', 'Accept', ...(body.length > 0 ? ['Content-Type'] : [])]) {
    if (!names.has(name.toLowerCase())) words.push(`-H '${name}:'`);
  }
  if (body.length === 0) return words.join(' ');
  const word = safeWord(body);
  // A text that begins with @ would be the name of a file.
  if (word !== undefined && body[0] !== 0x40) return [...words, `--data-binary ${word}`].join(' ');
  return `${decoded(body)} | ${[...words, '--data-binary @-'].join(' ')}`;
}

/** curl removes dots and fragments from the path of a URL, but not from `--request-target`. */
function targetOf(path: string, url: string): string[] {
  const isPlain = path.startsWith('/') && !/#|\/\.|\\/.test(path);
  if (isPlain) return [shellWord(url + path)];
  return [shellWord(url), `--request-target ${shellWord(path)}`];
}

type EvfwdCommand = Pick<RequestDetail['commands'], 'evfwd' | 'evfwdCommand'>;

const noCommand: EvfwdCommand = { evfwd: null, evfwdCommand: null };

function evfwdCommand({ path, body }: Request, url: string): EvfwdCommand {
  const bytes = inflated(body);
  const { events, isBatch } = notesOf(body, path);
  if (!bytes || !isUtf8(bytes) || events.length === 0) return noCommand;
  if (isBatch) return importCommand(bytes, url);
  const event = ownNames(bytes);
  const type = hasType(event) ? undefined : events[0]!.type;
  if (!isEvent(type === undefined ? event : withType(event, type))) return noCommand;
  // A request may be for a whole URL, or for `*`.
  const to = `--url ${shellWord(url + (path.startsWith('/') ? path : '/'))}`;
  const send = type === undefined ? 'evfwd send' : `evfwd send ${type}`;
  const word = safeWord(event);
  const command =
    word === undefined
      ? `${decoded(event)} | ${send} --data - ${to}`
      : `${send} --data ${word} ${to}`;
  return { evfwd: command, evfwdCommand: 'send' };
}

/** A call to a path like `/v1/track` need not have its type in the body. */
function hasType(event: Buffer): boolean {
  return findMember(scanMembers(event).members, 'type') !== undefined;
}

function withType(event: Buffer, type: string): Buffer {
  const text = event.toString('utf8');
  const rest = text.slice(text.indexOf('{') + 1);
  return Buffer.from(`{"type":${JSON.stringify(type)},${rest}`);
}

function isEvent(bytes: Buffer): boolean {
  return !isProblem(parseEvent(bytes, builtHere('request', bytes.length)));
}

function ownNames(body: Buffer): Buffer {
  const value = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  return isAliasBody(value) ? renameAlias(body, scanMembers(body).members) : body;
}

/** The calls of a batch, as the lines of an event file. */
function importCommand(bytes: Buffer, url: string): EvfwdCommand {
  const calls = elementsOfBatch(bytes).map(({ start, end }) => bytes.subarray(start, end));
  if (!calls.every(isEvent)) return noCommand;
  const lines = calls.map((call) => call.toString('utf8').replace(/[\r\n]+/g, ' '));
  const text = Buffer.from(`${lines.join('\n')}\n`);
  const word = safeWord(text);
  const print = word === undefined ? decoded(text) : `printf %s ${word}`;
  const to = `--write-key "$EVFWD_WRITE_KEY" --endpoint ${shellWord(url)}`;
  return { evfwd: `${print} | evfwd import - ${to}`, evfwdCommand: 'import' };
}

/**
 * A text quoted for the shell; undefined if it contains anything but printable characters and
 * newlines. Pasted escapes would control the terminal, and could end the paste and run the rest.
 */
function safeWord(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const line = text.replaceAll('\n', ' ');
  return printable(line) === line ? shellWord(text) : undefined;
}

function decoded(bytes: Buffer): string {
  return `printf %s ${shellWord(bytes.toString('base64'))} | base64 -d`;
}
