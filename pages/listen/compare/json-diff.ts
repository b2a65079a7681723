import type { JsonSpan, MemberSpan, ObjectSpan } from '../../../src/json/spans.js';
import type { Difference } from './difference.js';

/** A value, with the text that it is a span of. */
export interface JsonText {
  readonly text: string;
  readonly root: JsonSpan;
}

/** Values that are nested deeper are compared as a whole. */
const mostLevels = 100;

/**
 * The members and items that differ, each by its path. Values are compared by their characters: `1.0` is
 * not `1`. The order of members and the space between them do not count.
 */
export function diffJson(before: JsonText, after: JsonText): Difference[] {
  const found: Difference[] = [];
  compare('', before.root, after.root, 0);
  return found;

  function compare(
    path: string,
    one: JsonSpan | undefined,
    other: JsonSpan | undefined,
    level: number,
  ): void {
    const texts = [textOf(before, one), textOf(after, other)] as const;
    if (texts[0] === texts[1]) return;
    if (one?.kind === 'object' && other?.kind === 'object' && level < mostLevels) {
      const [old, current] = [membersOf(before.text, one), membersOf(after.text, other)];
      for (const name of new Set([...old.keys(), ...current.keys()])) {
        compare(memberPath(path, name), old.get(name), current.get(name), level + 1);
      }
    } else if (one?.kind === 'array' && other?.kind === 'array' && level < mostLevels) {
      const length = Math.max(one.items.length, other.items.length);
      for (let i = 0; i < length; i++) {
        compare(`${path}[${i}]`, one.items[i], other.items[i], level + 1);
      }
    } else {
      found.push({ name: path === '' ? 'body' : path, before: texts[0], after: texts[1] });
    }
  }
}

function textOf({ text }: JsonText, span: JsonSpan | undefined): string | undefined {
  return span && text.slice(span.start, span.end);
}

/** By the characters of their names; a repeated name counts by its place, as `name#2`. */
function membersOf(text: string, { members }: ObjectSpan): Map<string, JsonSpan> {
  const found = new Map<string, JsonSpan>();
  // Trying each place in turn would take minutes for a name that is repeated all over a large body.
  const places = new Map<string, number>();
  for (const member of members) {
    const name = nameOf(text, member);
    let place = places.get(name) ?? 1;
    while (found.has(keyAt(name, place))) place++;
    found.set(keyAt(name, place), member.value);
    places.set(name, place + 1);
  }
  return found;
}

function keyAt(name: string, place: number): string {
  return place === 1 ? name : `${name}#${place}`;
}

/** Without its quotes. */
function nameOf(text: string, { name }: MemberSpan): string {
  return text.slice(name.start + 1, name.end - 1);
}

function memberPath(path: string, name: string): string {
  if (!/^[\w$-]+$/.test(name)) return `${path}["${name}"]`;
  return path === '' ? name : `${path}.${name}`;
}
