// The package as a whole would bring 5 KB of comparisons that the page has no use for.
import { diffArrays } from 'diff/lib/diff/array.js';
import type { RequestDetail } from '../../../src/api/listen.js';
import type { JsonSpan, MemberSpan, ObjectSpan } from '../../../src/json/spans.js';

/** A named value that two requests do not share. */
export interface Difference {
  readonly name: string;
  /** Undefined where the older request has none. */
  readonly before: string | undefined;
  /** Undefined where the newer request has none. */
  readonly after: string | undefined;
}

/** A value, with the text that it is a span of. */
export interface JsonText {
  readonly text: string;
  readonly root: JsonSpan;
}

/** Values that are nested deeper are compared as a whole. */
const maxLevels = 100;

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
    if (one?.kind === 'object' && other?.kind === 'object' && level < maxLevels) {
      const [old, current] = [membersOf(before.text, one), membersOf(after.text, other)];
      for (const name of new Set([...old.keys(), ...current.keys()])) {
        compare(memberPath(path, name), old.get(name), current.get(name), level + 1);
      }
    } else if (one?.kind === 'array' && other?.kind === 'array' && level < maxLevels) {
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

type Headers = RequestDetail['headers'];

/** The headers that differ, by their names in lower case; a repeated one has a line for each value. */
export function diffHeaders(before: Headers, after: Headers): Difference[] {
  const [old, current] = [byName(before), byName(after)];
  return [...new Set([...old.keys(), ...current.keys()])]
    .map((name) => ({ name, before: old.get(name), after: current.get(name) }))
    .filter(({ before: one, after: other }) => one !== other);
}

function byName(headers: Headers): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const others = values.get(key);
    values.set(key, others === undefined ? value : `${others}\n${value}`);
  }
  return values;
}

/** A line of two texts, or the number of equal lines that are left out. */
export type DiffLine =
  | { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }
  | { readonly kind: 'skipped'; readonly count: number };

/** Equal lines that are shown around a difference. */
const contextLines = 3;
/** More lines that differ take a browser too long to compare; then one text replaces the other. */
const maxEditLength = 1500;

/** The lines that differ, with some around them. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, current] = [before.split('\n'), after.split('\n')];
  const changes = diffArrays(old, current, { maxEditLength });
  if (!changes) return [...linesOf('removed', old), ...linesOf('added', current)];
  return changes.flatMap(({ removed, added, value }, index) => {
    if (removed || added) return linesOf(removed ? 'removed' : 'added', value);
    const first = index === 0 ? 0 : contextLines;
    const last = value.length - (index === changes.length - 1 ? 0 : contextLines);
    if (first >= last) return linesOf('same', value);
    return [
      ...linesOf('same', value.slice(0, first)),
      { kind: 'skipped', count: last - first },
      ...linesOf('same', value.slice(last)),
    ];
  });
}

function linesOf(kind: 'same' | 'removed' | 'added', texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}
