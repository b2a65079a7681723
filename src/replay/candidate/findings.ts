import { pathText } from '../../json/path.js';
import { pathWithoutIds } from './ids.js';
import { Noise, type Difference, type DifferenceKind } from './noise.js';
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
}

interface Entry {
  readonly id: number;
  readonly difference: Omit<Difference, 'baseline' | 'candidate'>;
  first: FirstOccurrence;
  count: number;
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

  /** Groups are reported in the order in which they are asked for. */
  group(method: string, path: string): Group {
    const shown = pathWithoutIds(path);
    const known = this.#groups.get(`${method} ${shown}`);
    if (known) return known;
    const isFull = this.#groups.size >= maxGroups;
    return this.#openGroup(method, isFull ? '/*' : shown);
  }

  #openGroup(method: string, path: string): Group {
    const key = `${method} ${path}`;
    let group = this.#groups.get(key);
    if (!group) {
      group = {
        ...{ method, path, noise: new Noise(), entries: new Map(), together: new Map() },
        ...{ requests: 0, wholeBodies: 0 },
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
      }
      isCertain ||= !entry;
    }
    if (isCertain) this.#different++;
    else if (ids.length > 0) this.#addSet(group, ids.sort((a, b) => a - b).join());
  }

  #addSet({ together }: Group, key: string): void {
    const count = together.get(key);
    if (count === undefined && together.size >= maxSets) this.#different++;
    else together.set(key, (count ?? 0) + 1);
  }

  #entryOf(group: Group, difference: Difference, occurrence: Occurrence): Entry | undefined {
    const { kind, at, aspect = '', seenValues = [] } = difference;
    const key = `${aspect}:${kind}:${pathText(at)}:${seenValues.join(':')}`;
    const known = group.entries.get(key);
    if (known) {
      if (occurrence.number < known.first.number) known.first = firstOf(difference, occurrence);
      return known;
    }
    if (this.#entries >= maxEntries) this.#dropNoise();
    if (this.#entries >= maxEntries) {
      this.#leftOut++;
      return undefined;
    }
    const id = this.#nextId++;
    const first = firstOf(difference, occurrence);
    const entry = { id, difference: withoutValues(difference), first, count: 0 };
    group.entries.set(key, entry);
    this.#entries++;
    return entry;
  }

  /** Makes room. */
  #dropNoise(): void {
    for (const { entries, noise } of this.#groups.values()) {
      for (const [key, { difference }] of entries) {
        if (noise.covers(difference) && entries.delete(key)) this.#entries--;
      }
    }
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
      .filter(({ noise }) => noise.size > 0)
      .map(({ method, path, noise }) => ({ method, path, places: noise.places }));
  }
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
