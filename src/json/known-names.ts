/** Names of members that the analytics spec defines, or that clients add to events. */
export const knownNames = [
  'type',
  'name',
  'event',
  'userId',
  'traits',
  'sentAt',
  'context',
  'groupId',
  'channel',
  'version',
  'category',
  'writeKey',
  '_metadata',
  'messageId',
  'timestamp',
  'properties',
  'previousId',
  'receivedAt',
  'anonymousId',
  'integrations',
  'originalTimestamp',
] as const;

export type KnownName = (typeof knownNames)[number];

/** What `knownName` returns for all other names. */
export const unknownName = -1;

const texts = knownNames.map((name) => Buffer.from(name));
const byLength: (number[] | undefined)[] = [];
texts.forEach(({ length }, index) => (byLength[length] ??= []).push(index));

/** The index in `knownNames` of the name in `bytes[start, end)`: found without creating a string. */
export function knownName(bytes: Buffer, start: number, end: number): number {
  const candidates = byLength[end - start];
  if (!candidates) return unknownName;
  for (const index of candidates) if (isAt(bytes, start, texts[index]!)) return index;
  return unknownName;
}

/** Whether `bytes` has this text at the offset. */
export function isAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}
