import { UsageError } from '../errors.js';
import { contentOf, signs, type ContentValues } from './content.js';
import { schemeKeys, signPieces, type SchemeKey } from './scheme-key.js';
import { headerNamesOf } from './schemes/index.js';
import type { Scheme, Secret } from './schemes/scheme.js';
import { signedId } from './signed-id.js';
import { signer } from './signer.js';
import { filled, templateOf } from './template.js';
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
  /** The messageId; `signedId` makes it fit for the scheme. */
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
    sign: signOf(scheme, secrets, keys),
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

type Sign = (request: RequestToSign) => SignedRequest;

function signOf(scheme: Scheme, secrets: readonly Secret[], keys: readonly SchemeKey[]): Sign {
  if (scheme.special === 'twilio') return twilioSigner(scheme, keys[0]!);
  return signsBodyAlone(scheme) ? bodySigner(scheme, secrets[0]!) : templateSigner(scheme, keys);
}

/** `x-signature` and what differs from it by the header alone: the signer that is measured. */
function signsBodyAlone({ content, versions, value, separator, ...more }: Scheme): boolean {
  const { digest, encoding, secret, item } = versions[0]!;
  const isBare = content === '{body}' && value === '{signatures}' && item === '{signature}';
  const isHex = digest === 'sha1' && encoding === 'hex';
  const isOne = versions.length === 1 && separator === undefined;
  const hasText = secret.encoding === 'utf8' && secret.prefix === undefined;
  return isBare && isHex && isOne && hasText && !more.id && !more.timestamp && !more.special;
}

function bodySigner({ header }: Scheme, secret: Secret): Sign {
  const signBody = signer(secret);
  return ({ body }) => ({ headers: [[header, signBody(body)]] });
}

function twilioSigner({ header }: Scheme, key: SchemeKey): Sign {
  return (request) => {
    const { text, url } = twilioSigned(request);
    const signature = signPieces(key, [text]).toString(key.version.encoding);
    return { headers: [[header, signature]], ...(url !== request.url && { url }) };
  };
}

function templateSigner(scheme: Scheme, keys: readonly SchemeKey[]): Sign {
  const content = contentOf(scheme);
  const items = keys.map(({ version }) => templateOf(version.item));
  const writeHeaders = headerWriter(scheme);
  return (request) => {
    const values = valuesOf(scheme, request);
    const pieces = content(values);
    const signatures = keys.map((key, index) => {
      const signature = signPieces(key, pieces).toString(key.version.encoding);
      return filled(items[index]!, { signature });
    });
    return { headers: writeHeaders(signatures, values) };
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

type WriteHeaders = (signatures: readonly string[], values: ContentValues) => [string, string][];

function headerWriter({
  header,
  value,
  separator,
  secondHeader,
  id,
  timestamp,
}: Scheme): WriteHeaders {
  const template = templateOf(value);
  return (all, values) => {
    const [first, second] = all;
    const signatures = secondHeader === undefined ? all.join(separator) : first!;
    const headers: [string, string][] = [
      [header, filled(template, { signatures, timestamp: values.timestamp })],
    ];
    if (secondHeader !== undefined && second !== undefined) headers.push([secondHeader, second]);
    if (id) headers.push([id.header, values.id]);
    if (timestamp?.header !== undefined) headers.push([timestamp.header, values.timestamp]);
    return headers;
  };
}
