import { pathText } from '../../json/path.js';
import { withoutRareSegments } from './id-segments.js';
import { pathWithoutIds } from './ids.js';
import { Noise, type Difference, type DifferenceKind } from './noise.js';
import type { Repeat, Repeated } from './repeat.js';
import { storedValue, type StoredValue } from './stored-value.js';

/** The request at which a difference was seen first. */
export interface ExampleRequest {
  readonly file: string;
  /** From 1; of a HAR file the number of the entry. */
  readonly line: number;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly hasQuery: boolean;
  /** As they were sent; `***` for values that may be secret. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bodyBytes: number;
  /** Undefined if it is long. */
  readonly body: Buffer | undefined;
}

/** What the candidate does differently, in how many requests of a group. */
export interface FoundDifference {
  readonly method: string;
  /** Ids in it are replaced. */
  readonly path: string;
  readonly kind: DifferenceKind;
  /** In the form of `--ignore`. */
  readonly at: string;
  /** Of the first example; null where there is none. */
  readonly baseline: StoredValue | null;
  readonly candidate: StoredValue | null;
  /** Requests. */
  readonly count: number;
  readonly example: ExampleRequest;
}

/** A request in which a difference was found, and how it is kept as an example. */
export interface Occurrence {
  /** Of the request among all; the first example is the one with the lowest. */
  readonly number: number;
  /** Hides what must not be shown. */
  readonly redact: (text: string) => string;
  readonly example: () => ExampleRequest;
  /** Undefined where it is not to be sent again. */
  readonly repeat?: Repeat | undefined;
}

interface Entry {
  readonly id: number;
  readonly difference: Omit<Difference, 'baseline' | 'candidate'>;
  first: FirstOccurrence;
  count: number;
  /** Of each request that has it; undefined once there are too many for it to be noise. */
  repeats: Repeat[] | undefined;
  /** How many repeats had it again. */
  repeated: number;
}

interface FirstOccurrence {
  readonly number: number;
  readonly baseline: StoredValue | null;
  readonly candidate: StoredValue | null;
  readonly example: ExampleRequest;
}

/** Requests of one method and path, ids replaced. */
export interface Group {
  readonly method: string;
  readonly path: string;
  readonly noise: Noise;
  /** Where a difference was not there again. */
  readonly unrepeated: Set<string>;
  readonly entries: Map<string, Entry>;
  /** How many requests have exactly these differences, by the ids of their entries. */
  readonly together: Map<string, number>;
  requests: number;
  /** Of how many requests the bodies differ as a whole, noise or not. */
  wholeBodies: number;
}

/** Paths with ids that are not recognized could be without number; further ones share a group. */
const maxGroups = 10_000;
/** Differences of all groups that are kept, noise that is not known yet included. */
const maxEntries = 5_000;
/** Where room is made, before it is needed. */
const manyEntries = 4_000;
/**
 * What the first version does now and then, it does in two of three responses: that the candidate alone did it in so
 * many requests is no accident (1 of 3^8).
 */
const mostByAccident = 7;
/**
 * If more than this part of a group's requests have a difference, the group counts as small: the first version had few
 * responses in which it could have shown the same noise.
 */
const smallGroupPart = 1 / 20;
/** How often a difference in a small group must come back to be kept; elsewhere once. */
const neededRepeats = 3;
/** Bytes of requests and responses that are kept for repeats. */
const maxRepeatBytes = 8 * 1024 * 1024;
const manyRepeatBytes = 6 * 1024 * 1024;
/** Sets of differences that a request of a group can have; further ones count as different at once. */
const maxSets = 1_000;

/**
 * What differs, by groups. What is noise can become known later than a difference at the same place, so it is decided
 * at the end. Its size depends on what differs, not on the number of requests.
 */
export class Findings {
  readonly #groups = new Map<string, Group>();
  #entries = 0;
  #nextId = 0;
  #leftOut = 0;
  #different = 0;
  #isFull = false;
  #hasManyRepeats = false;
  #repeatBytes = 0;

  /**
   * Groups are reported in the order in which they are asked for. One that is kept for later may have become a part of
   * another one.
   */
  group(method: string, path: string): Group {
    const isTooLarge = this.#isLarge() && !this.#isFull;
    if (isTooLarge || (this.#repeatBytes >= manyRepeatBytes && !this.#hasManyRepeats))
      this.#makeRoom();
    const shown = pathWithoutIds(path);
    const known = this.#groups.get(`${method} ${shown}`);
    if (known) return known;
    return this.#openGroup(method, this.#groups.size >= maxGroups ? '/*' : shown);
  }

  #makeRoom(): void {
    this.joinGroups();
    this.#dropNoise();
    // What is still so is not tried again; that of the one says nothing of the other.
    this.#isFull = this.#isLarge();
    this.#hasManyRepeats = this.#repeatBytes >= manyRepeatBytes;
  }

  #isLarge(): boolean {
    return this.#groups.size >= maxGroups || this.#entries >= manyEntries;
  }

  /** Makes one group of those whose paths turn out to differ in ids alone. */
  joinGroups(): void {
    const groups = [...this.#groups.values()];
    const paths = withoutRareSegments(groups);
    this.#groups.clear();
    groups.forEach((group, i) => {
      const key = `${group.method} ${paths[i]!}`;
      const known = this.#groups.get(key);
      if (known) this.#join(known, group);
      else this.#groups.set(key, { ...group, path: paths[i]! });
    });
  }

  #join(group: Group, other: Group): void {
    group.noise.join(other.noise);
    group.requests += other.requests;
    group.wholeBodies += other.wholeBodies;
    const ids = new Map<number, number>();
    for (const [key, entry] of other.entries) {
      const known = group.entries.get(key);
      if (known) {
        ids.set(entry.id, known.id);
        this.#joinEntries(known, entry);
      } else group.entries.set(key, entry);
    }
    for (const [key, requests] of other.together) {
      const all = key.split(',').map((id) => ids.get(Number(id)) ?? Number(id));
      this.#addSet(group, all.sort((a, b) => a - b).join(), requests);
    }
  }

  #joinEntries(entry: Entry, other: Entry): void {
    entry.count += other.count;
    if (other.first.number < entry.first.number) entry.first = other.first;
    if (entry.repeats && other.repeats && entry.count <= mostByAccident) {
      entry.repeats.push(...other.repeats);
    } else {
      this.#release(entry);
      this.#release(other);
    }
    this.#entries--;
  }

  #openGroup(method: string, path: string): Group {
    const key = `${method} ${path}`;
    let group = this.#groups.get(key);
    if (!group) {
      group = {
        ...{ method, path, noise: new Noise(), entries: new Map(), together: new Map() },
        ...{ unrepeated: new Set(), requests: 0, wholeBodies: 0 },
      };
      this.#groups.set(key, group);
    }
    return group;
  }

  /** Counts a request whose responses differ so, or do not differ. */
  add(group: Group, differences: readonly Difference[], occurrence: Occurrence): void {
    const ids: number[] = [];
    let isCertain = false;
    group.requests++;
    if (differences.some(({ kind }) => kind === 'body')) group.wholeBodies++;
    for (const difference of differences) {
      if (group.noise.covers(difference)) continue;
      const entry = this.#entryOf(group, difference, occurrence);
      if (entry && !ids.includes(entry.id)) {
        entry.count++;
        ids.push(entry.id);
        this.#keep(entry, occurrence.repeat);
      }
      isCertain ||= !entry;
    }
    if (isCertain) this.#different++;
    else if (ids.length > 0) this.#addSet(group, ids.sort((a, b) => a - b).join(), 1);
  }

  #addSet({ together }: Group, key: string, requests: number): void {
    const count = together.get(key);
    if (count === undefined && together.size >= maxSets) this.#different += requests;
    else together.set(key, (count ?? 0) + requests);
  }

  /** Keeps all requests of a difference, or none of them. */
  #keep(entry: Entry, repeat: Repeat | undefined): void {
    if (!entry.repeats) return;
    const bytes = repeat?.users === 0 ? repeat.bytes : 0;
    if (!repeat || entry.count > mostByAccident || this.#repeatBytes + bytes > maxRepeatBytes) {
      this.#release(entry);
      return;
    }
    repeat.users++;
    this.#repeatBytes += bytes;
    entry.repeats.push(repeat);
  }

  #release(entry: Entry): void {
    for (const repeat of entry.repeats ?? []) {
      repeat.users--;
      if (repeat.users === 0) this.#repeatBytes -= repeat.bytes;
    }
    entry.repeats = undefined;
  }

  #entryOf(group: Group, difference: Difference, occurrence: Occurrence): Entry | undefined {
    const key = entryKey(difference);
    const known = group.entries.get(key);
    if (known) {
      if (occurrence.number < known.first.number) known.first = firstOf(difference, occurrence);
      return known;
    }
    if (this.#entries >= maxEntries) {
      this.#leftOut++;
      return undefined;
    }
    const id = this.#nextId++;
    const first = firstOf(difference, occurrence);
    const counts = { count: 0, repeats: [], repeated: 0 };
    const entry = { id, difference: withoutValues(difference), first, ...counts };
    group.entries.set(key, entry);
    this.#entries++;
    return entry;
  }

  #dropNoise(): void {
    for (const { entries, noise } of this.#groups.values()) {
      for (const [key, entry] of entries) {
        if (noise.covers(entry.difference)) this.#drop(entries, key, entry);
      }
    }
  }

  #drop(entries: Group['entries'], key: string, entry: Entry): void {
    this.#release(entry);
    entries.delete(key);
    this.#entries--;
  }

  /** The requests of differences that are so rare that they may be noise, with what is noise in them. */
  doubtful(): Map<Repeat, Noise> {
    return new Map(
      this.#doubtfulEntries().flatMap(({ group: { noise }, entry: { repeats = [] } }) =>
        repeats.map((repeat) => [repeat, noise] as const),
      ),
    );
  }

  /**
   * Counts which doubtful differences came back in the last repeats, at their place or above it, and drops those that
   * did not. Without a response to a repeat a difference is kept.
   */
  judgeRepeats(): void {
    for (const { group, key, entry } of this.#doubtfulEntries()) {
      const { at } = entry.difference;
      // Where the status is another one only now, the rest of the response may be about something else.
      const hasNewStatus = (each: Difference): boolean =>
        each.kind === 'status' && !group.entries.has(entryKey(each));
      const isAtPlace = (each: Difference): boolean =>
        hasNewStatus(each) || each.at.every((name, i) => name === at[i]);
      const cameBack = ({
        toFirstResponse,
        toRepeatedResponse = toFirstResponse,
      }: Repeated): boolean =>
        toFirstResponse.some(hasNewStatus) ||
        (toFirstResponse.some(isAtPlace) && toRepeatedResponse.some(isAtPlace));
      const all = entry.repeats!.map(({ last }) => last);
      const repeated = all.filter((last) => last && cameBack(last)).length;
      entry.repeated += repeated;
      // Nothing is known without a response: kept, and not repeated again.
      if (all.includes(undefined)) this.#release(entry);
      else if (repeated === 0) {
        group.unrepeated.add(pathText(at));
        this.#drop(group.entries, key, entry);
      }
    }
  }

  #doubtfulEntries() {
    return [...this.#groups.values()].flatMap((group) =>
      [...group.entries].flatMap(([key, entry]) => {
        const { count, repeats, repeated, difference } = entry;
        const needed = count > group.requests * smallGroupPart ? neededRepeats : 1;
        const isDoubtful = repeats !== undefined && repeated < needed;
        return isDoubtful && !group.noise.covers(difference) ? [{ group, key, entry }] : [];
      }),
    );
  }

  /** How many places of groups had a difference that was not repeated. */
  get unrepeated(): number {
    return [...this.#groups.values()].reduce((sum, { unrepeated }) => sum + unrepeated.size, 0);
  }

  /** Whether not all differences were kept. */
  get hasLeftOut(): boolean {
    return this.#leftOut > 0;
  }

  /** How many requests are different, as far as it is known now. */
  get different(): number {
    return [...this.#groups.values()].reduce(
      (sum, group) => sum + differentIn(group),
      this.#different,
    );
  }

  /** Those that are no noise, the most frequent of each group first. */
  differences(): FoundDifference[] {
    return [...this.#groups.values()].flatMap((group) =>
      remaining(group)
        .sort((one, other) => other.count - one.count || one.first.number - other.first.number)
        .map(({ difference, first: { baseline, candidate, example }, count }) => ({
          ...{ method: group.method, path: group.path },
          ...{ kind: difference.kind, at: pathText(difference.at) },
          ...{ baseline, candidate, count, example },
        })),
    );
  }

  /** Groups of which no body was compared, since each was noise as a whole. */
  withoutBodies(): Pick<Group, 'method' | 'path'>[] {
    return [...this.#groups.values()].filter(
      (group) =>
        group.wholeBodies > 0 &&
        group.wholeBodies === group.requests &&
        remaining(group).every(({ difference }) => difference.kind !== 'body'),
    );
  }

  /** The places that were left out, by group. */
  noise(): { readonly method: string; readonly path: string; readonly places: string[] }[] {
    return [...this.#groups.values()]
      .map(({ method, path, noise, unrepeated }) => ({
        ...{ method, path },
        places: [...new Set([...noise.places, ...unrepeated])].sort(),
      }))
      .filter(({ places }) => places.length > 0);
  }
}

function entryKey({ kind, at, aspect, seenValues }: Entry['difference']): string {
  return `${aspect ?? ''}:${kind}:${pathText(at)}:${seenValues?.join(':') ?? ''}`;
}

function firstOf(
  { baseline, candidate }: Difference,
  { number, redact, example }: Occurrence,
): FirstOccurrence {
  return {
    number,
    baseline: storedValue(baseline, redact),
    candidate: storedValue(candidate, redact),
    example: example(),
  };
}

function withoutValues(difference: Difference): Entry['difference'] {
  const { kind, at, aspect, seenValues, coveredBy } = difference;
  const noise = {
    ...(aspect && { aspect }),
    ...(seenValues && { seenValues }),
    ...(coveredBy && { coveredBy }),
  };
  return { kind, at, ...noise };
}

function remaining({ entries, noise }: Group): Entry[] {
  return [...entries.values()].filter(({ difference }) => !noise.covers(difference));
}

function differentIn(group: Group): number {
  const ids = new Set(remaining(group).map(({ id }) => id));
  let count = 0;
  for (const [key, requests] of group.together) {
    if (key.split(',').some((id) => ids.has(Number(id)))) count += requests;
  }
  return count;
}
