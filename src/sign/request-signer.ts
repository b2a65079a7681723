import { createHash } from 'node:crypto';
import { UsageError } from '../errors.js';
import {
  schemeKeys,
  signChunks,
  signPieces,
  signsBodyAlone,
  type SchemeKey,
} from './scheme-key.js';
import { headerNamesOf } from './schemes/index.js';
import type { Scheme, Secret } from './schemes/scheme.js';
import { contentOf, filler, signs, type ContentValues } from './template.js';
import { timestampText } from './timestamp.js';
import { twilioSigned } from './twilio.js';

/** One way to sign: a scheme and its secrets, newest first. Plain data. */
export interface SigningSettings {
  readonly scheme: Scheme;
  /** At least one. */
  readonly secrets: readonly Secret[];
}

/** What is signed. */
export interface RequestToSign {
  readonly body: Uint8Array;
  /** The messageId, which is replaced where the scheme cannot sign it. */
  readonly id: string;
  /** Time of the attempt, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly method: string;
  /** The whole URL, with its query. */
  readonly url: string;
  /** That the request is sent with. It tells `twilio` whether the body is a form; without one it is none. */
  readonly contentType?: string | undefined;
}

export interface SignedRequest {
  /** Names and values, the signature first. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The URL to send to, where it differs: `twilio` adds `bodySHA256`, and removes it from that of a form. */
  readonly url?: string;
}

/** Signs requests by one scheme; the keys are prepared once. */
export interface RequestSigner {
  readonly scheme: Scheme;
  /** Whether the headers of an attempt depend on its time. */
  readonly hasTime: boolean;
  /** Whether the headers or the URL depend on the method or URL. */
  readonly needsUrl: boolean;
  /** In lower case: a static header must not have one of these names. */
  readonly headerNames: readonly string[];
  /** What a user should know of the secrets: a key that is too short. Contains no secret. */
  readonly warnings: readonly string[];
  sign(request: RequestToSign): SignedRequest;
  /**
   * The same for a body in chunks, which need not fit in memory. Absent where the scheme signs more than the
   * body.
   */
  readonly signChunks?: (
    request: Omit<RequestToSign, 'body'>,
    chunks: AsyncIterable<Uint8Array>,
  ) => Promise<SignedRequest>;
}

/**
 * @param where begins messages: `--secret-file`, `destination crm`, …
 * @throws UsageError for a secret that is not in the form of the scheme, for no secret, and for more
 *   secrets than the headers of the scheme carry
 */
export function requestSigner(settings: SigningSettings, where: string): RequestSigner {
  const { scheme, secrets } = settings;
  checkCount(scheme, secrets.length, where);
  const keys = schemeKeys(scheme, secrets, 'sign', where);
  return {
    scheme,
    hasTime: scheme.timestamp !== undefined,
    needsUrl: signs(scheme, 'url') || signs(scheme, 'method'),
    headerNames: headerNamesOf({ ...scheme, aliases: [] }),
    warnings: keys.flatMap(({ warning }) => warning ?? []).map((text) => `${where}: ${text}`),
    ...(scheme.special === 'twilio'
      ? twilioSigner(scheme, keys[0]!)
      : templateSigner(scheme, keys)),
  };
}

function checkCount({ name, separator, secondHeader }: Scheme, count: number, where: string): void {
  if (count === 0) {
    throw new UsageError(`${where}: no secret; ${name} needs one to sign`, 'no_secret');
  }
  if (separator !== undefined || count <= (secondHeader === undefined ? 1 : 2)) return;
  const most = secondHeader === undefined ? 'one signature' : 'two signatures';
  throw new UsageError(
    `${where}: there are ${count} secrets, but ${name} sends ${most}; leave out the oldest`,
    'too_many_secrets',
  );
}

type Sign = Pick<RequestSigner, 'sign' | 'signChunks'>;

function twilioSigner({ header }: Scheme, key: SchemeKey): Sign {
  return {
    sign(request) {
      const { text, url } = twilioSigned(request);
      const signature = signPieces(key, [text]);
      return { headers: [[header, signature]], ...(url !== request.url && { url }) };
    },
  };
}

function templateSigner(scheme: Scheme, keys: readonly SchemeKey[]): Sign {
  const content = contentOf(scheme);
  const headersOf = headerWriter(scheme, keys);
  return {
    sign(request) {
      const values = valuesOf(scheme, request);
      const pieces = content(values);
      return { headers: headersOf(values, (key) => signPieces(key, pieces)) };
    },
    ...(signsBodyAlone(scheme) && {
      signChunks: async (request, chunks) => {
        const values = valuesOf(scheme, { ...request, body: Buffer.alloc(0) });
        const signatures = await signChunks(keys, chunks);
        return { headers: headersOf(values, (_key, i) => signatures[i]!) };
      },
    }),
  };
}

function valuesOf(scheme: Scheme, request: RequestToSign): ContentValues {
  const { body, id, nowMs, method, url } = request;
  return {
    body,
    method,
    id: signedId(id, scheme),
    timestamp: scheme.timestamp ? timestampText(nowMs, scheme.timestamp.format) : '',
    url,
  };
}

type WriteHeaders = (
  values: ContentValues,
  signatureBy: (key: SchemeKey, index: number) => string,
) => [string, string][];

function headerWriter(
  { header, value, separator, secondHeader, id, timestamp }: Scheme,
  keys: readonly SchemeKey[],
): WriteHeaders {
  const items = keys.map(({ version }) => version.item.split('{signature}'));
  const fill = filler(value);
  return (values, signatureBy) => {
    const all: string[] = [];
    for (let i = 0; i < keys.length; i++) {
      const [before = '', after = ''] = items[i]!;
      all.push(before + signatureBy(keys[i]!, i) + after);
    }
    const signatures = secondHeader === undefined && all.length > 1 ? all.join(separator) : all[0]!;
    const headers: [string, string][] = [
      [header, fill({ signatures, timestamp: values.timestamp })],
    ];
    if (secondHeader !== undefined && all.length > 1) headers.push([secondHeader, all[1]!]);
    if (id) headers.push([id.header, values.id]);
    if (timestamp?.header !== undefined) headers.push([timestamp.header, values.timestamp]);
    return headers;
  };
}

/**
 * The id that a scheme sends for a messageId: the messageId itself, unless a header cannot carry it or
 * it has a `.` where the scheme joins with one. Then it is `msg_` and the first 32 hex digits of
 * its SHA-256, the same each time.
 */
function signedId(id: string, scheme: Scheme): string {
  if (!scheme.id || fits(id, joinsWithDot(scheme))) return id;
  // UTF-8 has no lone surrogates, so different ones would become the same.
  const text = /\p{Surrogate}/u.test(id) ? JSON.stringify(id) : id;
  return `msg_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

function fits(id: string, isDotRefused: boolean): boolean {
  return /^[\x21-\x7e]+$/.test(id) && !(isDotRefused && id.includes('.'));
}

/** With a dot in the id, two ids and times could have the same signed text. */
function joinsWithDot({ content }: Scheme): boolean {
  return content.includes('{id}.') || content.includes('.{id}');
}
