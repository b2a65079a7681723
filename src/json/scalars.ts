/** Returned instead of an end offset for text that is not JSON. */
export const notJson = -1;

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

/** Bytes that need no escape in a text. */
const isPlain = new Uint8Array(256).fill(1, 0x20);
isPlain[quote] = isPlain[backslash] = 0;

/** Bytes that may follow a backslash, except `u`. */
const isEscaped = new Uint8Array(256);
for (const escaped of '"\\/bfnrt') isEscaped[escaped.charCodeAt(0)] = 1;

const words = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** The end of the text whose opening quote is at `at`. */
export function endOfText(bytes: Buffer, at: number): number {
  at++;
  for (;;) {
    while (isPlain[bytes[at]!] === 1) at++;
    if (bytes[at] === quote) return at + 1;
    if (bytes[at] !== backslash) return notJson;
    at = endOfEscape(bytes, at);
    if (at === notJson) return notJson;
  }
}

function endOfEscape(bytes: Buffer, at: number): number {
  const deadLetter = bytes[at + 1]!;
  if (isEscaped[deadLetter] === 1) return at + 2;
  if (deadLetter !== 0x75) return notJson;
  for (let i = 2; i < 6; i++) if (!isHex(bytes[at + i]!)) return notJson;
  return at + 6;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

/** The end of the number, `true`, `false` or `null` at `at`. */
export function endOfScalar(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (isDigit(first)) return endOfNumber(bytes, at);
  if (first === minus) return endOfNumber(bytes, at + 1);
  for (const word of words) if (word[0] === first) return endOfWord(bytes, at, word);
  return notJson;
}

function endOfWord(bytes: Buffer, at: number, word: Buffer): number {
  for (let i = 1; i < word.length; i++) if (bytes[at + i] !== word[i]) return notJson;
  return at + word.length;
}

/** The number without its sign. */
function endOfNumber(bytes: Buffer, at: number): number {
  // No digit may follow a leading zero.
  at = bytes[at] === zero ? at + 1 : endOfDigits(bytes, at);
  if (at !== notJson && bytes[at] === 0x2e) at = endOfDigits(bytes, at + 1);
  if (at !== notJson && (bytes[at]! | 0x20) === 0x65) at = endOfExponent(bytes, at + 1);
  return at;
}

function endOfExponent(bytes: Buffer, at: number): number {
  const isSigned = bytes[at] === minus || bytes[at] === 0x2b;
  return endOfDigits(bytes, isSigned ? at + 1 : at);
}

function endOfDigits(bytes: Buffer, at: number): number {
  if (!isDigit(bytes[at]!)) return notJson;
  while (isDigit(bytes[at]!)) at++;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}
