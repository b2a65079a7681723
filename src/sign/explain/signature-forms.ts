import type { Hypothesis } from './hypothesis.js';
import type { Signing } from './signing.js';

/** One interpretation of a signature's text as a digest. */
export interface SignatureForm {
  /** A name that node:crypto knows. */
  readonly algorithm: string;
  /** Its name for people: SHA256. */
  readonly label: string;
  readonly digest: Buffer;
  /** How the form differs from that of the scheme. */
  readonly hypotheses: readonly Hypothesis[];
}

const algorithms = new Map([
  [16, { name: 'md5', label: 'MD5' }],
  [20, { name: 'sha1', label: 'SHA1' }],
  [28, { name: 'sha224', label: 'SHA224' }],
  [32, { name: 'sha256', label: 'SHA256' }],
  [48, { name: 'sha384', label: 'SHA384' }],
  [64, { name: 'sha512', label: 'SHA512' }],
]);

/** Longer than any digest in any form. */
const maxSignature = 1000;

type OwnForm = Pick<Signing, 'encoding' | 'prefix'>;

/** Every interpretation of a signature; none if it is not a digest in any usual form. */
export function formsOf(signature: string, own: OwnForm): SignatureForm[] {
  if (signature.length > maxSignature) return [];
  const { text, hypotheses } = bare(signature, own);
  return decodings(text, own.encoding).flatMap(({ bytes, hypothesis }) => {
    const algorithm = algorithms.get(bytes.length);
    if (!algorithm) return [];
    const { name, label } = algorithm;
    const all = hypothesis ? [...hypotheses, hypothesis] : hypotheses;
    return [{ algorithm: name, label, digest: bytes, hypotheses: all }];
  });
}

/** Texts that may surround the digest, in the order of their removal. */
const wrappings: readonly (readonly [RegExp, string])[] = [
  [/^\s+|\s+$/g, 'the space around it is removed'],
  [/^(['"])(.*)\1$/s, 'the quotes around it are removed'],
  [/^[\w-]+-signature(?:-256)?:\s*/i, 'the name of the header is removed from it'],
  [/^[\w-]+\([^)]*\)\s*=\s*/, 'the label that openssl prints is removed from it'],
  [
    /^(?:hmac-?)?(?:sha-?(?:1|224|256|384|512)|md5)[=:]\s*/i,
    'the prefix with the name of the digest is removed from it',
  ],
  [/^v\d+[=,]\s*/i, 'the version prefix is removed from it'],
  // Only before hex: base64 may begin so, too.
  [/^0x(?=[0-9a-f]+$)/i, 'the prefix 0x is removed from it'],
];

function bare(signature: string, own: OwnForm): { text: string; hypotheses: Hypothesis[] } {
  if (own.prefix !== '' && signature.startsWith(own.prefix)) {
    return unwrapped(signature.slice(own.prefix.length), own.encoding);
  }
  const { text, hypotheses } = unwrapped(signature, own.encoding);
  if (own.prefix === '') return { text, hypotheses };
  const missing = form(`${own.prefix} is put before it`, `send it behind ${own.prefix}`);
  return { text, hypotheses: [...hypotheses, missing] };
}

function unwrapped(
  signature: string,
  encoding: OwnForm['encoding'],
): { text: string; hypotheses: Hypothesis[] } {
  const hypotheses: Hypothesis[] = [];
  let text = signature;
  for (const [wrapping, fact] of wrappings) {
    const inner = text.replace(wrapping, (...parts: unknown[]) =>
      typeof parts[2] === 'string' && typeof parts[3] === 'number' ? parts[2] : '',
    );
    if (inner !== text) hypotheses.push(form(fact, aloneIn[encoding]));
    text = inner;
  }
  return { text, hypotheses };
}

const aloneIn = {
  hex: 'send the hex characters alone',
  base64: 'send the base64 text alone',
};

interface Decoding {
  readonly bytes: Buffer;
  readonly hypothesis?: Hypothesis;
}

function decodings(text: string, own: OwnForm['encoding']): Decoding[] {
  const found: Decoding[] = [];
  if (isHex(text)) found.push(fromHex(text, own));
  const joined = text.replace(/[:\s-]/g, '');
  if (joined !== text && isHex(joined)) {
    const step = own === 'hex' ? 'write it as plain hex' : inBase64;
    found.push({
      bytes: Buffer.from(joined, 'hex'),
      hypothesis: form('the separators between its bytes are removed', step),
    });
  }
  if (/^[\w+/-]{20,}={0,2}$/.test(text)) found.push(...fromBase64(text, own));
  return found;
}

const inBase64 = 'write it in base64';
const inHex = 'write it in lowercase hex';

function fromHex(text: string, own: OwnForm['encoding']): Decoding {
  const bytes = Buffer.from(text, 'hex');
  if (own === 'base64') return { bytes, hypothesis: form('it is read as hex', inBase64) };
  if (!/[A-F]/.test(text)) return { bytes };
  return { bytes, hypothesis: form('it is written in lowercase', inHex) };
}

function fromBase64(text: string, own: OwnForm['encoding']): Decoding[] {
  const bytes = Buffer.from(text, 'base64');
  const step = own === 'hex' ? inHex : inBase64;
  const name = /[-_]/.test(text) ? 'base64url' : 'base64';
  const inner = bytes.toString('latin1');
  const found: Decoding[] = [{ bytes, ...base64Hypothesis(text, bytes, name, own) }];
  if (isHex(inner)) {
    const hypothesis = form(`it is read as ${name} of the hex text`, step);
    found.push({ bytes: Buffer.from(inner, 'hex'), hypothesis });
  }
  return found;
}

function base64Hypothesis(
  text: string,
  bytes: Buffer,
  name: string,
  own: OwnForm['encoding'],
): Pick<Decoding, 'hypothesis'> {
  if (own === 'hex') return { hypothesis: form(`it is read as ${name}`, inHex) };
  if (name === 'base64url') return { hypothesis: form('it is read as base64url', inBase64) };
  if (bytes.toString('base64') === text) return {};
  return { hypothesis: form('it is padded with =', 'write it in base64 with its padding') };
}

function isHex(text: string): boolean {
  return /^(?:[0-9a-f]{2})+$/i.test(text);
}

function form(fact: string, step: string): Hypothesis {
  return { fact, step };
}
