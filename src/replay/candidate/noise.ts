import { pathText } from '../../json/path.js';

/** What differs between two responses. `order` is of an array, `body` of bytes. */
export type DifferenceKind =
  'status' | 'content-type' | 'type' | 'value' | 'missing' | 'added' | 'order' | 'body';

/** A place of a response: `['body', 'items', '*', 'id']`; `*` is any element of an array, `{id}` any id. */
export type Place = readonly string[];

/** A value of a response: JSON text, a text that is none, or a number. */
export type Shown = { readonly json: string } | { readonly text: string } | number;

/**
 * What of a place can be noise while its values are none, and the other way round: whether it is there, its type, the
 * order of the elements of an array, how many elements or ids there are, which names the members of an object have, the
 * bytes of a body that is no JSON, and whether it is JSON.
 */
export type Aspect = 'presence' | 'type' | 'order' | 'length' | 'names' | 'bytes' | 'format';

/** Of these the values at the place say nothing. */
const besideValues: ReadonlySet<Aspect | undefined> = new Set([
  'presence',
  'type',
  'length',
  'names',
]);

/** One thing that differs. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly at: Place;
  /** Undefined where there is none. */
  readonly baseline: Shown | undefined;
  readonly candidate: Shown | undefined;
  /** What of the place differs. Default: its value. */
  readonly aspect?: Aspect;
  /** Of a place with few values: those of both responses. It is noise only if both were seen to be. */
  readonly seenValues?: readonly [baseline: string, candidate: string];
  /** Names of members that only one of the responses has. They are generated, and so noise, once enough of them were seen. */
  readonly generatedNames?: {
    readonly missing: ReadonlySet<string>;
    readonly added: ReadonlySet<string>;
  };
  /** It says nothing if one of these is noise. */
  readonly coveredBy?: readonly (readonly [Place, Aspect])[];
}

/** A handler whose responses have other members each time has no more than this. */
const maxPlaces = 2_000;

/** Fewer distinct names can be those of members that are optional. */
const fewestGenerated = 4;

/** What differs between responses of one handler to the same request, for all requests of a group. */
export class Noise {
  /** As text, so that it can be looked up; an aspect is in front of its place. */
  readonly #keys = new Set<string>();

  /** Values that the baseline has in turn, by place. */
  readonly #values = new Map<string, Set<string>>();
  /** Names that may be generated, by place: those that were missing and those that were added. */
  readonly #generatedNames = new Map<string, readonly [missing: Set<string>, added: Set<string>]>();

  /** The places as they are shown. */
  get places(): string[] {
    const texts = [...this.#keys].map((key) => key.replace(/^\w+:/, ''));
    return [...new Set([...texts, ...this.#values.keys()])].sort();
  }

  /** How much has been learned; it only grows. */
  get size(): number {
    return [...this.#values.values()].reduce((sum, { size }) => sum + size, this.#keys.size);
  }

  learn({
    at,
    aspect,
    seenValues,
    generatedNames,
  }: Pick<Difference, 'at' | 'aspect' | 'seenValues' | 'generatedNames'>): void {
    if (
      this.size >= maxPlaces ||
      (generatedNames && !this.#areGenerated(pathText(at), generatedNames))
    )
      return;
    if (!seenValues) {
      this.#keys.add(keyOf(at, aspect));
      return;
    }
    const place = pathText(at);
    const known = this.#values.get(place) ?? new Set();
    this.#values.set(place, known);
    for (const value of seenValues) known.add(value);
  }

  /** Takes over what another one has learned. */
  join(other: Noise): void {
    for (const key of other.#keys) {
      if (this.size < maxPlaces) this.#keys.add(key);
    }
    for (const [place, values] of other.#values) {
      this.#values.set(place, new Set([...(this.#values.get(place) ?? []), ...values]));
    }
    for (const [place, [missing, added]] of other.#generatedNames) {
      if (this.#areGenerated(place, { missing, added })) this.#keys.add(`names:${place}`);
    }
  }

  /** Whether too many names changed at a place, in one response or several, for a list of them to be complete. */
  #areGenerated(place: string, generatedNames: NonNullable<Difference['generatedNames']>): boolean {
    const known = this.#generatedNames.get(place);
    if (!known && this.#generatedNames.size >= maxPlaces) return false;
    const [missing, added] = known ?? [new Set<string>(), new Set<string>()];
    this.#generatedNames.set(place, [missing, added]);
    addUpTo(fewestGenerated, missing, generatedNames.missing);
    addUpTo(fewestGenerated, added, generatedNames.added);
    const areGenerated =
      Math.min(missing.size, added.size) > 1 &&
      new Set([...missing, ...added]).size >= fewestGenerated;
    if (areGenerated) this.#generatedNames.delete(place);
    return areGenerated;
  }

  /** Whether a difference says nothing. */
  covers({
    kind,
    at,
    aspect,
    seenValues,
    coveredBy = [],
  }: Omit<Difference, 'baseline' | 'candidate'>): boolean {
    if (seenValues) {
      const known = this.#values.get(pathText(at));
      return known !== undefined && seenValues.every((value) => known.has(value));
    }
    if (this.#keys.size === 0) return false;
    if (this.has(at, 'presence') || (aspect && this.has(at, aspect))) return true;
    if (kind === 'value' && this.has(at, 'type')) return true;
    if (aspect === 'bytes' || aspect === 'format') return false;
    if (coveredBy.some(([place, other]) => this.has(place, other))) return true;
    return this.hasPart(besideValues.has(aspect) ? at.slice(0, -1) : at);
  }

  has(at: Place, aspect: Aspect): boolean {
    return this.#keys.size > 0 && this.#keys.has(keyOf(at, aspect));
  }

  /** As `hasPart` or `has`, of a place of which nothing above is noise. @param text of `pathText` */
  hasText(text: string, aspect?: Aspect): boolean {
    return this.#keys.size > 0 && this.#keys.has(aspect ? `${aspect}:${text}` : text);
  }

  /** Whether the values of the place are noise, or it is a part of one that is. */
  hasPart(at: Place): boolean {
    if (this.#keys.size === 0) return false;
    for (let length = at.length; length > 0; length--) {
      const place = pathText(at.slice(0, length));
      // What is there only sometimes is rarely compared.
      if (this.#keys.has(place) || this.#keys.has(`presence:${place}`)) return true;
    }
    return false;
  }
}

function keyOf(at: Place, aspect?: Aspect): string {
  const text = pathText(at);
  return aspect ? `${aspect}:${text}` : text;
}

function addUpTo(limit: number, known: Set<string>, names: Iterable<string>): void {
  for (const name of names) {
    if (known.size >= limit) return;
    known.add(name);
  }
}
