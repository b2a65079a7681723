import { fault, type ValueFault, type VerifyFault } from './verify-reason.js';
import { validForm } from './x-signature.js';

/** What is wrong with the form of a value of `X-Signature`; undefined for a value in its form. */
export function faultOfXSignature(value: string): ValueFault | undefined {
  if (validForm.test(value)) return undefined;
  const repaired = repairedOf(value);
  return { ...faultOfForm(value), ...(repaired && { repaired }) };
}

const digestPrefix = /^(?:hmac-?)?sha-?(1|224|256|384|512)=/i;

/** The first fault in a fixed order, so that the reason is always the same. */
function faultOfForm(value: string): VerifyFault {
  const bare = value.trim();
  if (bare === '') return fault('empty', 'the signature is empty; set X-Signature');
  if (bare !== value) {
    return fault('space', 'the signature has space around it; remove the space');
  }
  // HTTP libraries join headers of one name so.
  if (bare.includes(', ')) {
    return fault('repeated', 'the X-Signature header was sent more than once; send one');
  }
  const [, prefix] = digestPrefix.exec(bare) ?? [];
  if (prefix !== undefined) {
    const what = prefix === '1' ? 'remove it' : 'X-Signature is HMAC-SHA1, without a prefix';
    return fault('prefix', `the signature has a sha${prefix}= prefix; ${what}`);
  }
  if (!/^[0-9a-f]+$/i.test(bare)) {
    const base64 = /^[A-Za-z0-9+/_-]{27}=?$/.test(bare) ? ' (it looks like base64)' : '';
    return fault(
      'not_hex',
      `the signature is not hex${base64}; write the HMAC-SHA1 as 40 lowercase hex characters`,
    );
  }
  if (bare.length !== 40) {
    const name = digestNames.get(bare.length);
    const like = name ? `, the length of ${name}` : '';
    return fault(
      'length',
      `the signature has ${bare.length} hex characters${like}; HMAC-SHA1 has 40`,
    );
  }
  return fault('uppercase', 'the signature has uppercase letters; it must be lowercase');
}

const digestNames = new Map([
  [32, 'MD5'],
  [56, 'SHA-224'],
  [64, 'SHA-256'],
  [96, 'SHA-384'],
  [128, 'SHA-512'],
]);

function repairedOf(value: string): ValueFault['repaired'] {
  const bare = value.trim().replace(digestPrefix, '').trim();
  const lower = bare.toLowerCase();
  if (!validForm.test(lower)) return undefined;
  const how = bare === lower ? 'without it' : 'in lowercase';
  return { bytes: Buffer.from(lower, 'hex'), hint: `it would match ${how}` };
}
