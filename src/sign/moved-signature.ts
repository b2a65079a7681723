import type { Scheme } from './schemes/scheme.js';
import { fault, type VerifyFault } from './verify-reason.js';

/** Of a request that a scheme has found valid. */
interface Valid {
  readonly body: Uint8Array;
  /** That of the headers; undefined where the scheme has none. */
  readonly id?: string | undefined;
}

/**
 * A fault if a request may have been signed by another scheme. What is signed is one text, so whoever has
 * recorded a request, also one that has expired, could send the same text with the same signature, but cut
 * in other places: the id and time of one scheme as the beginning of a body, or the beginning of a body as
 * an id.
 */
export function movedSignature(scheme: Scheme, { body, id = '' }: Valid): VerifyFault | undefined {
  const { name, content } = scheme;
  if (content === '{body}' && beginsAsSignedText(body)) {
    return moved(name, 'body begins with a time');
  }
  if (content.startsWith('{id}') && endsWithinAnother(id)) {
    return moved(name, 'id begins as a body, or with the time of another scheme');
  }
  return undefined;
}

function moved(name: string, what: string): VerifyFault {
  return fault(
    'scheme_mismatch',
    `the ${what}, as what other schemes sign does; name the scheme ${name} to accept it`,
  );
}

/** How the signed texts of the presets with a time begin, but for Twitch's. */
const withTimeFirst: readonly RegExp[] = [
  // Stripe, Convoy
  /^\d{10,}[.,]/,
  // Slack
  /^v0:\d+:/,
  // Standard Webhooks: an id has no dot.
  /^[^\s{["<.][\x21-\x2d\x2f-\x7e]*\.\d{10,}\./,
];

/** No object or array of JSON begins so. */
const signedTexts: readonly RegExp[] = [
  ...withTimeFirst,
  // Twitch: an id, then RFC 3339
  /^[^\s{["<][\x21-\x7e]*?\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d/,
];

/** More than an id and a time have. */
const longestStart = 1024;

function beginsAsSignedText(body: Uint8Array): boolean {
  const start = Buffer.from(body.subarray(0, longestStart)).toString('latin1');
  return signedTexts.some((form) => form.test(start));
}

/** How bodies of JSON, XML and with spaces begin; no id has a space. */
const bodies: readonly RegExp[] = [/^[{["<]/, /\s/];

function endsWithinAnother(id: string): boolean {
  return [...bodies, ...withTimeFirst].some((form) => form.test(id));
}
