/** Names of members that events have by the analytics spec, or that clients add to them. */
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

/** The index in `knownNames` of the name in `bytes[start, end)`: told without making a text. */
export function knownName(bytes: Buffer, start: number, end: number): number {
  const candidates = byLength[end - start];
  if (!candidates) return unknownName;
  for (const index of candidates) if (standsAt(bytes, start, texts[index]!)) return index;
  return unknownName;
}

/** Whether a text stands at an offset. */
export function standsAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}
