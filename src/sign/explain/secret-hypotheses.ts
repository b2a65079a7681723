import type { SecretForm } from '../schemes/scheme.js';
import { differing, type Variant } from './hypothesis.js';

/** The key that a scheme reads from a secret. */
export function keyOf(secret: Buffer, form: SecretForm): Buffer {
  if (form.encoding === 'utf8')
    return Buffer.from(withoutPrefix(secret.toString('latin1'), form), 'latin1');
  return Buffer.from(withoutPrefix(secret.toString('latin1'), form), 'base64');
}

/** The keys that a signer may have used instead of that of the scheme, which is left out. */
export function secretVariants(secret: Buffer, form: SecretForm): Variant[] {
  const variants = form.encoding === 'utf8' ? ofText(secret) : ofEncodedKey(secret, form);
  return differing(keyOf(secret, form), [...variants, ...unset]);
}

/** For schemes that use the text of the secret as the key. */
function ofText(secret: Buffer): Variant[] {
  // One character per byte: the changes below affect only ASCII, so any encoding survives them.
  const text = secret.toString('latin1');
  return [
    ...cleaned(text).map(({ text: clean, fact }) => variant(clean, fact, same)),
    ...added(text),
    ...decoded(withoutSpace(text)),
    ...encoded(secret),
  ];
}

/** For schemes that decode the secret from base64. */
function ofEncodedKey(secret: Buffer, form: SecretForm): Variant[] {
  const text = secret.toString('latin1');
  const bare = withoutSpace(text);
  const inner = withoutPrefix(bare, form);
  const prefixed = inner !== bare ? `, with its prefix ${form.prefix!}` : '';
  const variants = [variant(bare, `the secret is taken as text${prefixed}`, decode)];
  if (inner !== bare)
    variants.push(variant(inner, 'the secret is taken as text without its prefix', decode));
  if (inner !== bare) {
    const fact = 'the secret is decoded from base64 together with its prefix';
    variants.push({ bytes: Buffer.from(bare, 'base64'), hypothesis: { fact, step: dropPrefix } });
  }
  if (isHex(inner)) {
    const fact = 'the secret is decoded from hex';
    variants.push({ bytes: Buffer.from(inner, 'hex'), hypothesis: { fact, step: decode } });
  }
  for (const { text: clean, fact } of cleaned(text)) {
    variants.push({
      bytes: keyOf(Buffer.from(clean, 'latin1'), form),
      hypothesis: { fact, step: same },
    });
  }
  return variants;
}

const decode = 'make the signer decode the secret from base64, without its prefix';
const dropPrefix = 'make the signer drop the prefix before it decodes the secret';
const same = 'use exactly the same characters as the secret on both sides';
const sameKey = 'make both sides use the secret as text, or use the key of the signer';
const setIt = 'set the secret on the side of the signer';

const unset: readonly Variant[] = [
  variant('', 'the secret is empty', setIt),
  variant('undefined', 'the secret is the word undefined', setIt),
];

function variant(latin1: string, fact: string, step: string): Variant {
  return { bytes: Buffer.from(latin1, 'latin1'), hypothesis: { fact, step } };
}

/** The secret without what editors, shells and environment files put around it. */
function cleaned(text: string): { text: string; fact: string }[] {
  const bare = withoutSpace(text);
  return [
    { text: bare, fact: 'the secret has no space or newline around it' },
    { text: withoutQuotes(bare), fact: 'the secret has no quotes around it' },
    { text: text.replace(/^ï»¿/, ''), fact: 'the secret has no byte order mark before it' },
    { text: text.replace(/^\w+=(?=.)/, ''), fact: 'the secret is only the part after NAME=' },
  ];
}

function withoutSpace(text: string): string {
  return text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
}

function withoutQuotes(text: string): string {
  return /^(['"])(.*)\1$/s.exec(text)?.[2] ?? text;
}

function withoutPrefix(text: string, { prefix = '' }: SecretForm): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
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
  if (isHex(text)) add(text, 'hex', 'the secret is decoded from hex');
  if (/^[\w+/-]{4,}={0,2}$/.test(text)) add(text, 'base64', 'the secret is decoded from base64');
  const [, key] = /^whsec_([\w+/-]+={0,2})$/.exec(text) ?? [];
  if (key) {
    add(key, 'base64', 'the secret is decoded from base64 without its whsec_ prefix');
    variants.push(variant(key, 'the secret is taken as text without its whsec_ prefix', same));
  }
  return variants;
}

function isHex(text: string): boolean {
  return /^(?:[0-9a-f]{2})+$/i.test(text);
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
