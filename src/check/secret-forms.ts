import { schemeKey } from '../sign/scheme-key.js';
import type { SigningSettings } from '../sign/request-signer.js';
import type { Scheme, Secret } from '../sign/schemes/scheme.js';

/** Shorter forms occur in texts by chance. */
const minLength = 6;

/** All forms in which a response may tell a secret: as it was given, without its prefix, its key, and these in hex and Base64. */
export function secretForms({ scheme, secrets }: SigningSettings): string[] {
  const forms = secrets.flatMap((secret) => [
    ...textForms(scheme, secret),
    ...encodings(keyOf(scheme, secret)),
  ]);
  return [...new Set(forms)].filter((form) => form.length >= minLength);
}

function textForms({ versions }: Scheme, secret: Secret): string[] {
  if (typeof secret !== 'string') return encodings(Buffer.from(secret));
  const prefixes = versions.flatMap(({ secret: { prefix } }) => prefix ?? []);
  const used = [...prefixes, 'whsec_'].find((prefix) => secret.startsWith(prefix)) ?? '';
  const bare = secret.slice(used.length);
  return [secret, bare, ...encodings(Buffer.from(secret)), ...decodedForms(bare)];
}

/** Many secrets are Base64, also where a scheme takes the text itself for the key. */
function decodedForms(text: string): string[] {
  const bytes = Buffer.from(text, 'base64');
  const isBase64 =
    bytes.length >= 16 && withoutPadding(bytes.toString('base64')) === withoutPadding(text);
  return isBase64 ? encodings(bytes) : [];
}

function keyOf(scheme: Scheme, secret: Secret): Buffer {
  const { key } = schemeKey(scheme, secret, 'sign', '');
  if (key.type === 'secret') return key.export();
  // A private key of ed25519 ends with its 32 bytes.
  return key.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
}

function encodings(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  const base64 = bytes.toString('base64');
  const texts = [base64, bytes.toString('base64url')].flatMap((text) => [
    text,
    withoutPadding(text),
  ]);
  return [bytes.toString('latin1'), hex, hex.toUpperCase(), ...texts];
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, '');
}
