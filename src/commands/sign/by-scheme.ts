import { randomUUID } from 'node:crypto';
import { UsageError } from '../../errors.js';
import type { Input } from '../../sign/body.js';
import { heldBody } from '../../sign/held-body.js';
import {
  requestSigner,
  type RequestSigner,
  type SignedRequest,
} from '../../sign/request-signer.js';
import type { Secret } from '../../sign/schemes/scheme.js';
import type { Io } from '../shared/command.js';
import { print, say } from '../shared/flags.js';
import { secretSource, warnOfVisibleSecret } from '../shared/secret-flags.js';
import { signedRequestValues, type SignedRequestValues } from '../shared/signed-request-flags.js';
import { findScheme } from '../shared/signing-flags.js';
import type { SignFlags } from './command.js';
import { noteUnused } from './unused.js';

/**
 * Signs by any scheme and prints the value of its header, or all headers. The body is held in memory.
 *
 * @throws UsageError for an unknown scheme, secrets that do not fit it, and a URL that is missing
 */
export async function printByScheme(
  input: Input,
  secrets: readonly Secret[],
  flags: SignFlags,
  io: Io,
): Promise<void> {
  const values = signedRequestValues(flags);
  const scheme = await chosenScheme(flags, io);
  const signer = requestSigner({ scheme, secrets }, secretSource(flags));
  const id = givenId(flags, signer);
  const url = givenUrl(values, signer);
  if (!flags.quiet) for (const warning of signer.warnings) say(io, `warning: ${warning}`);
  const body = await heldBody(input);
  const { atMs = Date.now(), method = 'POST', contentType } = values;
  const signed = signer.sign({ body, id, nowMs: atMs, method, url, contentType });
  warnOfVisibleSecret(flags, io);
  print(io, flags.json ? jsonOf(signer, signed) : textOf(signed, flags));
  if (!flags.quiet) for (const note of notes(signer, signed, values, flags)) say(io, note);
  if (scheme.special !== 'twilio') noteUnused(scheme.name, flags, io);
}

function chosenScheme(flags: SignFlags, io: Io) {
  if (flags.scheme !== undefined) return findScheme(flags.scheme, '--scheme', flags, io);
  return findScheme(io.env.EVFWD_SCHEME || 'x-signature', 'EVFWD_SCHEME', flags, io);
}

function givenId({ id }: SignFlags, { scheme }: RequestSigner): string {
  if (id !== undefined && id !== '') return id;
  if (id === '' && scheme.id) throw new UsageError('--id is empty; set an id, or leave it out');
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

function givenUrl({ url }: SignedRequestValues, { needsUrl, scheme }: RequestSigner): string {
  if (url !== undefined) return url;
  if (needsUrl && scheme.content.includes('{url}')) {
    throw new UsageError(`${scheme.name} signs the URL; pass it with --url`, 'no_url');
  }
  return '';
}

function textOf({ headers }: SignedRequest, flags: SignFlags): string {
  if (flags.headers) return headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return headers[0]![1];
}

function jsonOf({ scheme }: RequestSigner, { headers, url }: SignedRequest): string {
  return JSON.stringify({
    scheme: scheme.name,
    signature: headers[0]![1],
    headers: Object.fromEntries(headers),
    query: url === undefined ? undefined : addedQuery(url),
  });
}

/** What the receiver needs beside what was printed, and the user did not choose. */
function* notes(
  { scheme }: RequestSigner,
  { headers, url }: SignedRequest,
  { atMs }: SignedRequestValues,
  { headers: isWhole, json, id }: SignFlags,
): Generator<string> {
  const isKnown = (name: string) =>
    name === scheme.id?.header
      ? id !== undefined
      : name === scheme.timestamp?.header && atMs !== undefined;
  const others = headers.slice(1).flatMap(([name]) => (isKnown(name) ? [] : [name]));
  if (!isWhole && !json && others.length > 0) {
    yield `note: the receiver needs ${others.join(' and ')}, too; print all headers with --headers`;
  }
  if (url === undefined) return;
  const query = addedQuery(url);
  if (query === undefined) yield 'note: send it to the URL without bodySHA256 in its query';
  else if (!json) yield `note: send it to the URL with ${query} in its query`;
}

/** The parameter that the signer has added to the query: a digest, nothing secret. None for a form. */
function addedQuery(url: string): string | undefined {
  return /bodySHA256=[0-9a-f]+/.exec(url)?.[0];
}
