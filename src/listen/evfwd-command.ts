import { isUtf8 } from 'node:buffer';
import type { RequestDetail } from '../api/listen.js';
import { isObject } from '../json/is-object.js';
import { findMember, scanMembers } from '../json/members.js';
import { builtHere, isProblem } from '../events/event.js';
import { parseEvent } from '../events/parse.js';
import { isAliasBody, renameAlias } from '../events/wrapper.js';
import { shellWord } from '../output/shell.js';
import { inflated } from '../receive/inflate.js';
import { elementsOfBatch, isArrayText, notesOf } from './notes.js';
import type { ReceivedRequest } from './received-request.js';
import { decoded, safeWord } from '../output/shell-text.js';

type EvfwdCommand = Pick<RequestDetail['commands'], 'evfwd' | 'evfwdCommand'>;

const noCommand: EvfwdCommand = { evfwd: null, evfwdCommand: null };

/** Sends the events of a request again, signed again, if evfwd accepts them. */
export function evfwdCommand(
  { path, body }: Pick<ReceivedRequest, 'path' | 'body'>,
  url: string,
  schemeFlag: string,
): EvfwdCommand {
  const bytes = inflated(body);
  const { events, isBatch } = notesOf(body, path);
  if (!bytes || !isUtf8(bytes) || events.length === 0) return noCommand;
  // A request may be for a whole URL, or for `*`.
  const to = `--url ${shellWord(url + (path.startsWith('/') ? path : '/'))}${schemeFlag}`;
  if (isBatch) return importCommand(bytes, isArrayText(bytes) ? to : collectorAt(url));
  const event = ownNames(bytes);
  const type = hasType(event) ? undefined : events[0]!.type;
  if (!isEvent(type === undefined ? event : withType(event, type))) return noCommand;
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
  const value: unknown = JSON.parse(body.toString('utf8'));
  return isObject(value) && isAliasBody(value)
    ? renameAlias(body, scanMembers(body).members)
    : body;
}

function collectorAt(url: string): string {
  return `--write-key "$EVFWD_WRITE_KEY" --endpoint ${shellWord(url)}`;
}

/** The events of a batch, as the lines of an event file. */
function importCommand(bytes: Buffer, to: string): EvfwdCommand {
  const calls = elementsOfBatch(bytes).map(({ start, end }) =>
    ownNames(bytes.subarray(start, end)),
  );
  if (!calls.every(isEvent)) return noCommand;
  const lines = calls.map((call) => call.toString('utf8').replace(/[\r\n]+/g, ' '));
  const text = Buffer.from(`${lines.join('\n')}\n`);
  const word = safeWord(text);
  const print = word === undefined ? decoded(text) : `printf %s ${word}`;
  return { evfwd: `${print} | evfwd import - ${to}`, evfwdCommand: 'import' };
}
