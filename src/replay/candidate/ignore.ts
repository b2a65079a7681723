import { UsageError } from '../../errors.js';
import { parsePath } from '../../json/path.js';
import { isHeaderName } from '../../http/header-rules.js';
import { quoted } from '../../quoted.js';

/** One place of a response, and all below it: `body`, `data`, `*`. */
export type IgnoredPlace = readonly string[];

const form =
  "use status, content-type, header.<name>, body, or a path such as body.generatedAt or 'body.items.*.id'";

/**
 * The value of `--ignore`.
 * @throws UsageError for a place that no response has
 */
export function parseIgnored(text: string): IgnoredPlace {
  const [first = '', ...rest] = parsePath(text);
  if (first === 'header') {
    // A header has dots of its own, and no members.
    const name = text.slice('header.'.length).toLowerCase();
    if (isHeaderName(name)) return [first, name];
  } else if (first === 'body') {
    if (rest.every((name) => name !== '')) return [first, ...rest];
  } else if ((first === 'status' || first === 'content-type') && rest.length === 0) return [first];
  throw new UsageError(`--ignore: ${quoted(text, 'the value')} is no place of a response; ${form}`);
}

/** All that `--ignore` names, and which of it left something out. */
export class IgnoredPlaces {
  readonly #places: readonly IgnoredPlace[];
  readonly #hasLeftOut: boolean[];

  constructor(places: readonly IgnoredPlace[]) {
    this.#places = places;
    this.#hasLeftOut = places.map(() => false);
  }

  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  get hasUnused(): boolean {
    return this.#hasLeftOut.includes(false);
  }

  /** Those where no difference was found so far, except those below another one that left something out. */
  get unused(): IgnoredPlace[] {
    return this.#places.filter(
      (place, i) =>
        !this.#hasLeftOut[i] &&
        !this.#places.some((other, j) => this.#hasLeftOut[j] && isWithin(other, place, place)),
    );
  }

  /**
   * Whether a place is ignored, itself or as a part of one that is.
   * @param shown as it is reported: `*` for each element of an array, `{id}` for ids
   * @param actual with the index of the element, and the id
   */
  has(shown: readonly string[], actual: readonly string[]): boolean {
    return this.#places.some((place) => isWithin(place, shown, actual));
  }

  /** As `has`, of a place where responses differ, which is remembered. */
  leavesOut(shown: readonly string[], actual: readonly string[]): boolean {
    let isIgnored = false;
    for (let i = 0; i < this.#places.length; i++) {
      if (!isWithin(this.#places[i]!, shown, actual)) continue;
      this.#hasLeftOut[i] = true;
      isIgnored = true;
    }
    return isIgnored;
  }
}

function isWithin(
  place: IgnoredPlace,
  shown: readonly string[],
  actual: readonly string[],
): boolean {
  return (
    place.length <= shown.length &&
    place.every((name, i) => name === '*' || name === shown[i] || name === actual[i])
  );
}
