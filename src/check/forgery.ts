import { randomBytes } from 'node:crypto';
import type { SigningSettings } from '../sign/request-signer.js';
import type { Scheme, Secret, SignatureEncoding } from '../sign/schemes/scheme.js';
import type { CheckEvent } from './events.js';
import type { Exchange, ProbeRequest } from './exchange.js';
import type { Prober, SigningOptions } from './prober.js';
import { versionOf } from './scheme-needs.js';

/** A request with its right signature, and what it was signed of. Only for runs with a secret. */
export interface Draft {
  readonly prober: Prober;
  readonly event: CheckEvent;
  /** The time of the signature. */
  readonly nowMs: number;
  readonly request: ProbeRequest;
}

/** An event, signed as of a time. */
export function draftOf(prober: Prober, event: CheckEvent, nowMs = Date.now()): Draft {
  return { prober, event, nowMs, request: prober.request(event, { nowMs }) };
}

/** Sends a forged event: `change` makes it of the right one when its turn has come. */
export function sendForged(
  prober: Prober,
  event: CheckEvent,
  change: (draft: Draft) => ProbeRequest,
): Promise<Exchange> {
  return prober.send(() => {
    const draft = draftOf(prober, event);
    return forged(draft, change(draft));
  });
}

/** The same event, signed in another way. */
export function signedAs({ prober, event, nowMs }: Draft, signing: SigningSettings): ProbeRequest {
  return prober.request(event, { nowMs, signing });
}

/** A forged request, with the signatures that would be right for it: its response must not hold them. */
export function forged({ prober, event, nowMs }: Draft, request: ProbeRequest): ProbeRequest {
  const { secrets } = signingOf(prober);
  const sent = { ...event, body: request.body };
  const encodings: SignatureEncoding[] = ['hex', 'base64'];
  const rightSignatures = secrets.flatMap((secret) =>
    encodings.map((encoding) => bareSignature(prober, sent, { nowMs }, secret, encoding)),
  );
  return { ...request, isValid: false, rightSignatures };
}

/** The request with another value in place of each signature header; undefined removes the header. */
export function withHeader({ prober, request }: Draft, value: string | undefined): ProbeRequest {
  const names = signatureHeaders(signingOf(prober).scheme);
  const headers = request.headers.flatMap(([name, old]): [string, string][] => {
    if (!names.has(name.toLowerCase())) return [[name, old]];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...request, headers };
}

/** The request with its signature changed; what surrounds it in the header stays: `t=…,v1=`. */
export function withSignature(draft: Draft, change: (signature: string) => string): ProbeRequest {
  const { prober, event, nowMs, request } = draft;
  const { scheme, secrets } = signingOf(prober);
  const right = bareSignature(prober, event, { nowMs }, secrets[0]!);
  const names = signatureHeaders(scheme);
  const headers = request.headers.map(([name, value]): [string, string] => {
    // A function, since `$` in a text would be read as a pattern.
    const isSignature = names.has(name.toLowerCase());
    return [name, isSignature ? value.replace(right, () => change(right)) : value];
  });
  return { ...request, headers };
}

/** How the run signs, all secrets included. */
export function signingOf({ settings }: Prober): SigningSettings {
  return settings.signing!;
}

/** A secret that the endpoint does not know, in the form that the scheme wants. */
export function otherSecret(signing: SigningSettings): Secret {
  const { encoding, prefix = '' } = versionOf(signing).secret;
  // As long as a key of ed25519 has to be.
  return prefix + randomBytes(32).toString(encoding === 'base64' ? 'base64' : 'hex');
}

/** The signature of an event as text, without what the scheme writes around it. */
function bareSignature(
  prober: Prober,
  event: CheckEvent,
  options: SigningOptions,
  secret: Secret,
  encoding?: SignatureEncoding,
): string {
  const { scheme } = signingOf(prober);
  const versions = scheme.versions.map((version) => ({
    ...version,
    item: '{signature}',
    encoding: encoding ?? version.encoding,
  }));
  const signing = { scheme: { ...scheme, versions, value: '{signatures}' }, secrets: [secret] };
  const { headers } = prober.request(event, { ...options, signing });
  return headers.find(([name]) => name === scheme.header)![1];
}

function signatureHeaders({ header, secondHeader }: Scheme): ReadonlySet<string> {
  return new Set([header, secondHeader ?? header].map((name) => name.toLowerCase()));
}
