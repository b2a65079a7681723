import type { AttemptSignature } from '../delivery/delivery.js';
import { UsageError } from '../errors.js';
import { sentUrl } from '../http/url.js';
import {
  requestSigner,
  type RequestSigner,
  type SignedRequest,
  type SigningSettings,
} from '../sign/request-signer.js';
import type { Secret } from '../sign/schemes/scheme.js';
import type { Endpoint } from './endpoint.js';
import { headerPairs } from './settings.js';

/** What the signatures of a target are made from. */
export interface SigningParts {
  /** None, one, or two ways to sign. */
  readonly settings: readonly SigningSettings[];
  readonly endpoints: readonly Endpoint[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Signs the requests of a target; the keys are prepared once. */
export class Signing {
  readonly #signers: readonly RequestSigner[];
  /** Those whose headers are the same for all attempts at all URLs. */
  readonly #constant: readonly RequestSigner[];
  readonly #varying: readonly RequestSigner[];
  readonly #changesUrl: boolean;
  readonly #urls: readonly string[];
  readonly #now: () => number;

  /**
   * Error messages about headers begin with `where`.
   * @throws UsageError for secrets that do not fit their scheme, and for a static header that a scheme sets
   */
  constructor({ settings, endpoints, now }: SigningParts, where: string) {
    // A scheme that changes the URL comes first, since others may sign the URL.
    const ordered = [...settings].sort((one, other) => rank(one) - rank(other));
    const signers = ordered.map((one) => requestSigner(one, 'sharedSecret'));
    checkStaticHeaders(endpoints, signers, where);
    this.#signers = signers;
    this.#constant = signers.filter((one) => !isVarying(one));
    this.#varying = signers.filter(isVarying);
    this.#changesUrl = ordered.some(changesUrl);
    this.#urls = endpoints.map(({ url }) => sentUrl(url));
    this.#now = now;
  }

  /** The signature of an event with this body and messageId. */
  of(body: Buffer, id: string): string | AttemptSignature {
    let constant = '';
    for (const one of this.#constant) {
      constant += linesOf(one.sign({ body, id, nowMs: 0, method: '', url: '' }).headers);
    }
    if (this.#varying.length === 0) return constant;
    const signed = (bytes: Buffer, index: number) => this.#sign(this.#varying, bytes, id, index);
    return {
      headerLines: (bytes, index) => constant + linesOf(signed(bytes, index).headers),
      sendsTo: (bytes, index) => (this.#changesUrl ? signed(bytes, index).url : undefined),
    };
  }

  /** All signature headers of a request to the URL with this index, written now. */
  request(body: Buffer, id: string, index: number): SignedRequest {
    return this.#sign(this.#signers, body, id, index);
  }

  #sign(signers: readonly RequestSigner[], body: Buffer, id: string, index: number): SignedRequest {
    const request = { body, id, nowMs: this.#now(), method: 'POST' };
    const given = this.#urls[index]!;
    const headers: SignedRequest['headers'][number][] = [];
    let url = given;
    for (const one of signers) {
      const signed = one.sign({ ...request, url });
      headers.push(...signed.headers);
      url = signed.url ?? url;
    }
    return url === given ? { headers } : { headers, url };
  }
}

/** What a response must not show: each secret, also without its prefix, and the key that is decoded from it. */
export function signingSecrets({ scheme, secrets }: SigningSettings): Secret[] {
  const forms = scheme.versions.map(({ secret }) => secret);
  const prefixes = [...commonPrefixes, ...forms.flatMap(({ prefix }) => prefix ?? [])];
  const isDecoded = forms.some(({ encoding }) => encoding === 'base64');
  return secrets.flatMap((secret): readonly Secret[] => {
    if (typeof secret !== 'string') return [secret];
    const prefix = prefixes.find((one) => secret.startsWith(one)) ?? '';
    const bare = secret.slice(prefix.length);
    return isDecoded ? [secret, bare, Buffer.from(bare, 'base64')] : [secret, bare];
  });
}

/** Also of secrets that a scheme takes as text with their prefix, as `stripe` does. */
const commonPrefixes = ['whsec_', 'whsk_'];

/** The same as `checkStaticHeaders`, before there are signers. */
export function checkHeadersBeside(
  settings: readonly SigningSettings[],
  endpoints: readonly Endpoint[],
  where: string,
): void {
  const signers = settings.map((one) => requestSigner(one, where));
  checkStaticHeaders(endpoints, signers, where);
}

/** @throws UsageError for a static header that one of these ways to sign sets */
export function checkStaticHeaders(
  endpoints: readonly Endpoint[],
  signers: readonly Pick<RequestSigner, 'scheme' | 'headerNames'>[],
  where: string,
): void {
  for (const [name] of endpoints.flatMap(({ headers }) => headerPairs(headers))) {
    const owner = signers.find(({ headerNames }) => headerNames.includes(name.toLowerCase()));
    if (!owner) continue;
    throw new UsageError(
      `${where}: the header ${name} is set by the scheme ${owner.scheme.name} and cannot be replaced`,
    );
  }
}

function isVarying({ hasTime, needsUrl }: RequestSigner): boolean {
  return hasTime || needsUrl;
}

function changesUrl({ scheme }: SigningSettings): boolean {
  return scheme.special === 'twilio';
}

function rank(settings: SigningSettings): number {
  return changesUrl(settings) ? 0 : 1;
}

function linesOf(headers: SignedRequest['headers']): string {
  let lines = '';
  for (const [name, value] of headers) lines += `${name}: ${value}\r\n`;
  return lines;
}
