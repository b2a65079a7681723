import type { Hypothesis } from './hypothesis.js';

/** One interpretation of a signature's text as a digest. */
export interface SignatureForm {
  /** A name that node:crypto knows. */
  readonly algorithm: string;
  /** Its name for people: SHA256. */
  readonly label: string;
  readonly digest: Buffer;
  /** How the form differs from plain lowercase hex. */
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
const longestSignature = 1000;

/** Every interpretation of a signature; none if it is not a digest in any usual form. */
export function formsOf(signature: string): SignatureForm[] {
  if (signature.length > longestSignature) return [];
  const { text, hypotheses } = bare(signature);
  return decodings(text).flatMap(({ bytes, hypothesis }) => {
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
  [/^x-signature:\s*/i, 'the name of the header is removed from it'],
  [/^[\w-]+\([^)]*\)\s*=\s*/, 'the label that openssl prints is removed from it'],
  [
    /^(?:hmac-?)?(?:sha-?(?:1|224|256|384|512)|md5)[=:]\s*/i,
    'the prefix with the name of the digest is removed from it',
  ],
  [/^v\d+[=,]\s*/i, 'the version prefix is removed from it'],
  // Only before hex: base64 may begin so, too.
  [/^0x(?=[0-9a-f]+$)/i, 'the prefix 0x is removed from it'],
];

function bare(signature: string): { text: string; hypotheses: Hypothesis[] } {
  const hypotheses: Hypothesis[] = [];
  let text = signature;
  for (const [wrapping, fact] of wrappings) {
    const inner = text.replace(wrapping, (...parts: unknown[]) =>
      typeof parts[2] === 'string' && typeof parts[3] === 'number' ? parts[2] : '',
    );
    if (inner !== text) hypotheses.push(form(fact, 'send the hex characters alone'));
    text = inner;
  }
  return { text, hypotheses };
}

interface Decoding {
  readonly bytes: Buffer;
  readonly hypothesis?: Hypothesis;
}

function decodings(text: string): Decoding[] {
  const found: Decoding[] = [];
  if (isHex(text)) found.push(fromHex(text));
  const joined = text.replace(/[:\s-]/g, '');
  if (joined !== text && isHex(joined)) {
    found.push({
      bytes: Buffer.from(joined, 'hex'),
      hypothesis: form('the separators between its bytes are removed', 'write it as plain hex'),
    });
  }
  if (/^[\w+/-]{20,}={0,2}$/.test(text)) found.push(...fromBase64(text));
  return found;
}

function fromHex(text: string): Decoding {
  const bytes = Buffer.from(text, 'hex');
  if (!/[A-F]/.test(text)) return { bytes };
  return { bytes, hypothesis: form('it is written in lowercase', 'write it in lowercase hex') };
}

function fromBase64(text: string): Decoding[] {
  const bytes = Buffer.from(text, 'base64');
  const name = /[-_]/.test(text) ? 'base64url' : 'base64';
  const inner = bytes.toString('latin1');
  const found = [{ bytes, hypothesis: form(`it is read as ${name}`, 'write it in lowercase hex') }];
  if (isHex(inner)) {
    const hypothesis = form(`it is read as ${name} of the hex text`, 'write it in lowercase hex');
    found.push({ bytes: Buffer.from(inner, 'hex'), hypothesis });
  }
  return found;
}

function isHex(text: string): boolean {
  return /^(?:[0-9a-f]{2})+$/i.test(text);
}

function form(fact: string, step: string): Hypothesis {
  return { fact, step };
}
