import type { Scheme } from './schemes/scheme.js';
import { fault, type VerifyFault } from './verify-reason.js';

/**
 * A fault if a body may be what another scheme has signed: its id and time before its body. Whoever has
 * recorded such a request could send it as one of a scheme that signs the body alone, with the same
 * signature, when it has expired.
 */
export function movedSignature(
  { name, content }: Scheme,
  body: Uint8Array,
): VerifyFault | undefined {
  if (content !== '{body}' || !beginsAsSignedText(body)) return undefined;
  return fault(
    'scheme_mismatch',
    `the body begins with a time, as what other schemes sign does; name the scheme ${name} to accept it`,
  );
}

/** How the signed texts of the presets with a time begin. No object or array of JSON begins so. */
const signedTexts: readonly RegExp[] = [
  // Stripe, Convoy
  /^\d{10,}[.,]/,
  // Slack
  /^v0:\d+:/,
  // Standard Webhooks: an id has no dot.
  /^[^\s{["<.][\x21-\x2d\x2f-\x7e]*\.\d{10,}\./,
  // Twitch: an id, then RFC 3339
  /^[^\s{["<][\x21-\x7e]*?\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d/,
];

/** More than an id and a time have. */
const longestStart = 1024;

function beginsAsSignedText(body: Uint8Array): boolean {
  const start = Buffer.from(body.subarray(0, longestStart)).toString('latin1');
  return signedTexts.some((form) => form.test(start));
}
