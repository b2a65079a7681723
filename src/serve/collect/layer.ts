import { scanMembers, type Member, type Members } from '../../json/members.js';
import type { TextBuilder } from '../../json/text-builder.js';

const openBrace = 0x7b;

/**
 * A JSON object that is put under others: a member that they have wins. Read once, however many
 * events it goes under.
 */
export class Layer {
  /** Its text, without space around it. */
  readonly bytes: Buffer;
  #scan: Members | undefined;
  #children: Map<string, Layer | undefined> | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Levels of nesting; it is the first. */
  get depth(): number {
    return this.#scanned.depth;
  }

  get members(): readonly Member[] {
    return this.#scanned.members;
  }

  /** The object under this name: the last one, where the name stands twice. */
  child(name: string): Layer | undefined {
    return this.#objects.get(name);
  }

  get #scanned(): Members {
    return (this.#scan ??= scanMembers(this.bytes));
  }

  get #objects(): Map<string, Layer | undefined> {
    this.#children ??= new Map(
      this.members.map(({ name, start, end }) => [
        name,
        this.bytes[start] === openBrace ? new Layer(this.bytes.subarray(start, end)) : undefined,
      ]),
    );
    return this.#children;
  }
}

/**
 * Appends the text of an object with what it lacks from the one under it, member by member and
 * into nested objects. Its own text stays as it is, what is added goes behind it.
 *
 * Goes down as deep as both nest: their depth must have been checked.
 */
export function appendMerged(builder: TextBuilder, own: Buffer, under: Layer): void {
  const { members } = scanMembers(own);
  // Of names that stand twice the last is meant.
  const byName = new Map(members.map((member) => [member.name, member]));
  let at = 0;
  for (const member of members) {
    const child = byName.get(member.name) === member ? under.child(member.name) : undefined;
    if (!child || own[member.start] !== openBrace) continue;
    builder.span(own, at, member.start);
    appendMerged(builder, own.subarray(member.start, member.end), child);
    at = member.end;
  }
  const end = members.at(-1)?.end ?? 1;
  builder.span(own, at, end);
  let separator = members.length > 0 ? ',' : '';
  for (const { name, nameStart, end: memberEnd } of under.members) {
    if (byName.has(name)) continue;
    builder.ascii(separator).span(under.bytes, nameStart, memberEnd);
    separator = ',';
  }
  builder.span(own, end, own.length);
}
