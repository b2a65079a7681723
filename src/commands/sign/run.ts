import { randomUUID } from 'node:crypto';
import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import { openInput, wholeBody, type Input } from '../../sign/body.js';
import {
  requestSigner,
  type RequestSigner,
  type SignedRequest,
} from '../../sign/request-signer.js';
import { presets } from '../../sign/schemes/index.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import type { Io } from '../shared/command.js';
import { print, say } from '../shared/output.js';
import {
  detail,
  requireSecrets,
  secretSource,
  warnOfVisibleSecret,
} from '../shared/secret-flags.js';
import type { SignedRequestValues } from '../shared/signed-request-flags.js';
import { checkOwnSchemes, findScheme } from '../shared/signing-flags.js';
import type { SignFlags } from './command.js';

/**
 * Prints the signature of a body, or all headers of its scheme.
 *
 * @throws UsageError when there is no secret or readable body, for an unknown scheme, secrets that do not
 *   fit it, values that are malformed, and a URL that is missing
 */
export async function signBody(path: string | undefined, flags: SignFlags, io: Io): Promise<void> {
  const secrets = requireSecrets(flags, io);
  const opened = openInput(path, io, printable);
  const input = flags.empty ? opened : { ...opened, chunks: notEmpty(opened) };
  const values = await valuesOf(flags);
  const scheme = await chosenScheme(flags, io);
  const signer = requestSigner({ scheme, secrets }, secretSource(flags));
  const id = givenId(flags, signer);
  const url = givenUrl(values, signer);
  if (!flags.quiet) for (const warning of signer.warnings) say(io, `warning: ${warning}`);
  const { atMs = Date.now(), method = 'POST', contentType } = values;
  const request = { id, nowMs: atMs, method, url, contentType };
  const signed = signer.signChunks
    ? await signer.signChunks(request, input.chunks)
    : signer.sign({ ...request, body: await wholeBody(input) });
  warnOfVisibleSecret(flags, io);
  print(io, flags.json ? jsonOf(scheme, signed) : textOf(signed, flags));
  if (!flags.quiet) for (const note of notes(scheme, signed, values, flags)) say(io, note);
  detail(`signed ${input.name}`, flags, io);
  io.exit(0);
}

/** Nearly always a program before the pipe has failed, and a signature would hide it. */
async function* notEmpty({ chunks, name }: Input): AsyncIterable<Buffer> {
  let isEmpty = true;
  for await (const chunk of chunks) {
    isEmpty &&= chunk.length === 0;
    yield chunk;
  }
  if (isEmpty)
    throw new UsageError(`${name} is empty; use --empty to sign an empty body`, 'empty_body');
}

/** Those of the flags, which are checked by a module that is loaded only for them. */
async function valuesOf(flags: SignFlags): Promise<SignedRequestValues> {
  const { at, url, method, contentType } = flags;
  if ([at, url, method, contentType].every((flag) => flag === undefined)) return {};
  const { signedRequestValues } = await import('../shared/signed-request-flags.js');
  return signedRequestValues(flags);
}

async function chosenScheme(flags: SignFlags, io: Io): Promise<Scheme> {
  const name = flags.scheme ?? io.env.EVFWD_SCHEME;
  if (name && name !== 'x-signature') {
    return findScheme(name, flags.scheme === undefined ? 'EVFWD_SCHEME' : '--scheme', flags, io);
  }
  await checkOwnSchemes(flags, io);
  return presets.get('x-signature')!;
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

/** Of `x-signature`, the default, the signature alone. */
function jsonOf({ name }: Scheme, { headers, url }: SignedRequest): string {
  const signature = headers[0]![1];
  if (name === 'x-signature') return JSON.stringify({ signature });
  return JSON.stringify({
    scheme: name,
    signature,
    headers: Object.fromEntries(headers),
    query: url === undefined ? undefined : addedQuery(url),
  });
}

/** What the receiver needs beside what was printed, and what the user should know of the flags. */
function* notes(
  scheme: Scheme,
  { headers, url }: SignedRequest,
  { atMs, contentType }: SignedRequestValues,
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
  if (url !== undefined) {
    const query = addedQuery(url);
    if (query === undefined) yield 'note: send it to the URL without bodySHA256 in its query';
    else if (!json) yield `note: send it to the URL with ${query} in its query`;
  }
  if (contentType !== undefined && scheme.special !== 'twilio') {
    yield `note: --content-type has no effect, since ${scheme.name} signs every type in the same way`;
  }
}

/** The parameter that the signer has added to the query: a digest, nothing secret. None for a form. */
function addedQuery(url: string): string | undefined {
  return /bodySHA256=[0-9a-f]+/.exec(url)?.[0];
}
