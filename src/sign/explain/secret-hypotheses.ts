import { differing, type Variant } from './hypothesis.js';

/** The keys that a signer may have used instead of the given one, which is left out. */
export function secretVariants(secret: Buffer): Variant[] {
  // One character per byte: the changes below affect only ASCII, so any encoding survives them.
  const text = secret.toString('latin1');
  const bare = text.replace(edgeSpace, '');
  const variants = [
    variant(bare, 'the secret has no space or newline around it', same),
    variant(withoutQuotes(bare), 'the secret has no quotes around it', same),
    variant(text.replace(/^ï»¿/, ''), 'the secret has no byte order mark before it', same),
    variant(text.replace(/^\w+=(?=.)/, ''), 'the secret is only the part after NAME=', same),
    ...added(text),
    ...decoded(bare),
    ...encoded(secret),
    variant('', 'the secret is empty', 'set the secret on the side of the signer'),
    variant(
      'undefined',
      'the secret is the word undefined',
      'set the secret on the side of the signer',
    ),
  ];
  return differing(secret, variants);
}

const edgeSpace = /^[ \t\r\n]+|[ \t\r\n]+$/g;
const same = 'use exactly the same characters as the secret on both sides';
const sameKey = 'make both sides use the secret as text, or use the key of the signer';

function variant(latin1: string, fact: string, step: string): Variant {
  return { bytes: Buffer.from(latin1, 'latin1'), hypothesis: { fact, step } };
}

function withoutQuotes(text: string): string {
  return /^(['"])(.*)\1$/s.exec(text)?.[2] ?? text;
}

function added(text: string): Variant[] {
  return [
    variant(`${text}\n`, 'the secret is followed by a newline (LF)', same),
    variant(`${text}\r\n`, 'the secret is followed by a newline (CRLF)', same),
    variant(`${text} `, 'the secret is followed by a space', same),
    variant(` ${text}`, 'the secret is preceded by a space', same),
    variant(`'${text}'`, "the secret has single quotes ('…') around it", same),
    variant(`"${text}"`, 'the secret has double quotes ("…") around it', same),
  ];
}

function decoded(text: string): Variant[] {
  const variants: Variant[] = [];
  const add = (encodedText: string, encoding: 'hex' | 'base64', fact: string) =>
    variants.push({
      bytes: Buffer.from(encodedText, encoding),
      hypothesis: { fact, step: sameKey },
    });
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) add(text, 'hex', 'the secret is decoded from hex');
  if (/^[\w+/-]{4,}={0,2}$/.test(text)) add(text, 'base64', 'the secret is decoded from base64');
  const [, key] = /^whsec_([\w+/-]+={0,2})$/.exec(text) ?? [];
  if (key) add(key, 'base64', 'the secret is decoded from base64 without its whsec_ prefix');
  return variants;
}

function encoded(secret: Buffer): Variant[] {
  const variants = [
    variant(secret.toString('hex'), 'the secret is written in hex', sameKey),
    variant(secret.toString('base64'), 'the secret is written in base64', sameKey),
  ];
  const text = secret.toString('utf8');
  if (/[^\0-\x7f]/.test(text) && /^[\0-\xff]+$/.test(text)) {
    variants.push(variant(text, 'the secret is encoded as Latin-1', 'encode the secret as UTF-8'));
  }
  return variants;
}
