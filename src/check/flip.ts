import type { SignatureEncoding } from '../sign/schemes/scheme.js';

/** The signature with one character changed: of the first, the middle and the last byte. */
export function flips(encoding: SignatureEncoding): readonly ((signature: string) => string)[] {
  const inMiddle = (signature: string): string =>
    withBit(signature, encoding, (length) => length >> 1, 0x01);
  return [
    (signature) => withBit(signature, encoding, () => 0, 0x80),
    // Uppercase hex is the same signature, and the other case of Base64 is another one.
    encoding === 'base64' ? (text) => withOtherCase(text) ?? inMiddle(text) : inMiddle,
    // Some bits of the last character of Base64 carry no data: a bit of the last byte does.
    (signature) => withBit(signature, encoding, (length) => length - 1, 0x01),
  ];
}

function withBit(
  signature: string,
  encoding: SignatureEncoding,
  indexOf: (length: number) => number,
  mask: number,
): string {
  const bytes = Buffer.from(signature, encoding);
  bytes[indexOf(bytes.length)]! ^= mask;
  return bytes.toString(encoding);
}

/** Undefined if there is no letter between the middle and the last characters. */
function withOtherCase(text: string): string | undefined {
  const middle = text.length >> 1;
  const offset = text.slice(middle, -4).search(/[a-z]/i);
  if (offset === -1) return undefined;
  const at = middle + offset;
  const letter = text[at]!;
  const upper = letter.toUpperCase();
  return text.slice(0, at) + (letter === upper ? letter.toLowerCase() : upper) + text.slice(at + 1);
}
