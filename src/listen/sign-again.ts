import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { RequestDetail } from '../api/listen.js';
import { requestSigner } from '../sign/request-signer.js';
import { headerNamesOf, schemeNamed } from '../sign/schemes/index.js';
import type { Scheme } from '../sign/schemes/scheme.js';
import type { ReceivedRequest } from './received-request.js';
import type { Verification, VerifyRule } from '../receive/verification.js';

/** A new signature of a request that was received. */
export interface SignedAgain {
  /** Of the signature, in place of the recorded ones. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Names of headers of the scheme, in lower case: recorded ones are not sent. */
  readonly replaced: ReadonlySet<string>;
  /** The URL to send to; a scheme may add to its query. */
  readonly url: string;
}

/**
 * Signs a request anew as of now, by the scheme of its signature and the newest secret of its path;
 * undefined where no rule covers the path, or nothing tells the scheme.
 *
 * @param to where it is sent, and with which Content-Type
 * @throws UsageError for a secret that cannot sign, as a public key
 */
export function signAgain(
  received: ReceivedRequest,
  verification: Verification,
  { url, contentType }: { readonly url: string; readonly contentType: string | undefined },
): SignedAgain | undefined {
  const rule = verification.ruleFor(received.path);
  const scheme = schemeOf(received, verification);
  if (!rule || !scheme) return undefined;
  const signer = requestSigner({ scheme, secrets: rule.secrets.slice(0, 1) }, 'the secret');
  const { body, method } = received;
  const request = { body, method, url, contentType, id: idOf(received), nowMs: Date.now() };
  const signed = signer.sign(request);
  return {
    headers: signed.headers,
    replaced: new Set(headerNamesOf(scheme)),
    url: signed.url ?? url,
  };
}

/** By which scheme and with which secret a request is signed anew, in words; null where it cannot be. */
export function signsAgain(
  received: Pick<ReceivedRequest, 'path' | 'scheme'>,
  verification: Verification,
): RequestDetail['signsAgain'] {
  const rule = verification.ruleFor(received.path);
  const scheme = schemeOf(received, verification);
  return rule && scheme ? { scheme: scheme.name, secret: secretName(rule) } : null;
}

function secretName({ path, where, secretFile, secrets }: VerifyRule): string {
  const source =
    where ?? (path === undefined ? 'the secret of the receiver' : `--verify path=${path}`);
  const file = secretFile === undefined ? '' : ` ${basename(secretFile)}`;
  return secrets.length > 1 ? `${source}${file} (the first of ${secrets.length})` : source + file;
}

/** By which scheme a request is signed anew; undefined if its path has no rule, or nothing tells the scheme. */
export function schemeOf(
  { path, scheme }: Pick<ReceivedRequest, 'path' | 'scheme'>,
  verification: Verification,
): Scheme | undefined {
  const rule = verification.ruleFor(path);
  if (rule?.scheme !== 'auto') return rule?.scheme;
  return scheme === null ? undefined : schemeNamed(scheme, verification.own, 'scheme');
}

/** The recorded id, else the messageId, else one that is the same for the same request. */
export function idOf({ webhookId, summary, id, body }: ReceivedRequest): string {
  if (webhookId !== null) return webhookId;
  if (summary.messageId !== null) return summary.messageId;
  return `msg_${createHash('sha256').update(id).update(body).digest('hex').slice(0, 32)}`;
}
