/** `Buffer.from` takes anything, and would make other bytes of it than those that were meant. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
