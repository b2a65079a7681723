import { digest, matches, type Bytes } from './x-signature.js';

/** Why a signature is not valid. Stable: scripts may compare them. */
export type SignatureFault =
  'mismatch' | 'empty' | 'space' | 'repeated' | 'prefix' | 'not_hex' | 'length' | 'uppercase';

export interface Judgement {
  readonly valid: boolean;
  /** Absent when valid. */
  readonly reason?: SignatureFault;
  /** One sentence: what is wrong, and what to do. Contains neither signature nor secret. */
  readonly message: string;
}

const valid: Judgement = { valid: true, message: 'the signature is valid' };

/** Checks the text of a signature and says what is wrong with it. Never throws for its form. */
export function judge(body: Bytes, signature: string, secret: Bytes): Judgement {
  return judgeDigest(digest(body, secret), signature);
}

/** Like `judge`, with the digest of the body. */
export function judgeDigest(expected: Buffer, signature: string): Judgement {
  if (matches(expected, signature)) return valid;
  const { reason, message } = faultOf(signature);
  return { valid: false, reason, message: message + afterFixing(expected, signature) };
}

interface Fault {
  readonly reason: SignatureFault;
  readonly message: string;
}

const known = /^(?:hmac-?)?sha-?(1|224|256|384|512)=/i;

/** The first fault of the form in a fixed order, so that the reason is always the same. */
function faultOf(signature: string): Fault {
  const bare = signature.trim();
  if (bare === '') return { reason: 'empty', message: 'the signature is empty; set X-Signature' };
  if (bare !== signature) {
    return { reason: 'space', message: 'the signature has space around it; remove the space' };
  }
  // HTTP libraries join headers of one name so.
  if (bare.includes(', ')) {
    return {
      reason: 'repeated',
      message: 'the X-Signature header was sent more than once; send one',
    };
  }
  if (known.test(bare)) return prefixed(bare);
  if (!/^[0-9a-f]+$/i.test(bare)) return notHex(bare);
  if (bare.length !== 40) return wrongLength(bare.length);
  if (/[A-F]/.test(bare)) {
    return {
      reason: 'uppercase',
      message: 'the signature has uppercase letters; it must be lowercase',
    };
  }
  return {
    reason: 'mismatch',
    message:
      'the signature does not match this body and secret; check that the secret is the same on both sides and that the body is the bytes that were sent',
  };
}

function prefixed(signature: string): Fault {
  const number = known.exec(signature)![1]!;
  const what = number === '1' ? 'remove it' : 'X-Signature is HMAC-SHA1, without a prefix';
  return { reason: 'prefix', message: `the signature has a sha${number}= prefix; ${what}` };
}

function notHex(signature: string): Fault {
  const base64 = /^[A-Za-z0-9+/_-]{27}=?$/.test(signature) ? ' (it looks like base64)' : '';
  const message = `the signature is not hex${base64}; write the HMAC-SHA1 as 40 lowercase hex characters`;
  return { reason: 'not_hex', message };
}

const digestNames = new Map([
  [32, 'MD5'],
  [56, 'SHA-224'],
  [64, 'SHA-256'],
  [96, 'SHA-384'],
  [128, 'SHA-512'],
]);

function wrongLength(length: number): Fault {
  const name = digestNames.get(length);
  const like = name ? `, the length of ${name}` : '';
  const message = `the signature has ${length} hex characters${like}; HMAC-SHA1 has 40`;
  return { reason: 'length', message };
}

/** Whether the form is all that is wrong. */
function afterFixing(expected: Buffer, signature: string): string {
  const fixed = signature.trim().replace(known, '').trim();
  if (matches(expected, fixed)) return '; it would match without it';
  if (matches(expected, fixed.toLowerCase())) return '; it would match in lowercase';
  return '';
}
