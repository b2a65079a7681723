import { pathText } from '../../json/path.js';
import type { ArraySpan, JsonSpan, ObjectSpan } from '../../json/spans.js';
import { matchElements } from './elements.js';
import { anyId, isIdName } from './ids.js';
import type { IgnoredPlaces } from './ignore.js';
import {
  decoded,
  isArray,
  isObject,
  keyOf,
  scalarText,
  textOf,
  typeOf,
  type JsonValue,
} from './json-value.js';
import type { Aspect, Difference, Noise, Place, Shown } from './noise.js';

/** Any element of an array, or any member of an object. */
const any = '*';

export interface ComparisonRules {
  readonly ignored: IgnoredPlaces;
  /** What is known to be noise. */
  readonly noise: Noise;
  /** Whether both responses are of the same handler, so that every difference is noise. */
  readonly learns: boolean;
  /** Reads the second response of the baseline to the same request; called only where a name is missing. */
  readonly baselineAgain?: (() => JsonValue | undefined) | undefined;
}

/** A place, and the same with the indexes and ids of this response. */
interface At {
  readonly shown: Place;
  readonly actual: Place;
  /** Of `pathText` for `shown`. */
  readonly text: string;
  /** The places below it, by their names as shown; undefined where indexes and ids matter. */
  readonly children: Map<string, At> | undefined;
}

type Member = readonly [name: string, value: JsonValue];

/**
 * What differs between two JSON values, one of each kind at each place. Members have no order. An element of an array
 * is compared with the one that equals it or is most like it.
 */
export function compareJson(
  baseline: JsonValue,
  candidate: JsonValue,
  at: Place,
  rules: ComparisonRules,
): Difference[] {
  const children = rules.ignored.isEmpty ? new Map<string, At>() : undefined;
  const root = { shown: at, actual: at, text: pathText(at), children };
  const comparison = new JsonComparison(rules, root);
  comparison.compare(baseline, candidate, root);
  return comparison.differences;
}

class JsonComparison {
  readonly #rules: ComparisonRules;
  readonly #found = new Map<string, Difference>();
  /** Texts that stand for values, without what is noise. */
  readonly #keys = new Map<JsonSpan, string>();
  /** Names that may be generated, by place. */
  readonly #generatedNames = new Map<string, { missing: Set<string>; added: Set<string> }>();
  readonly #root: At;
  /** Places of the members of that response, once they are asked for. */
  #placesAgain: ReadonlySet<string> | undefined;
  /** Whether what is compared now is known to be equal but for noise and what is ignored. */
  #isNoting = false;
  /** Of what is compared now, as in `Difference`. */
  #coveredBy: NonNullable<Difference['coveredBy']> = [];

  constructor(rules: ComparisonRules, root: At) {
    this.#rules = rules;
    this.#root = root;
  }

  get differences(): Difference[] {
    return [...this.#found.values()];
  }

  compare(baseline: JsonValue, candidate: JsonValue, at: At): void {
    if (textOf(baseline) === textOf(candidate)) return;
    const { ignored, noise } = this.#rules;
    // What is above it was looked at before.
    if (noise.hasText(at.text, 'presence') || ignored.leavesOut(at.shown, at.actual)) return;
    if (typeOf(baseline) !== typeOf(candidate)) {
      this.#add('type', at, baseline, candidate, 'type');
    } else if (noise.hasText(at.text)) {
      return;
    } else if (isObject(baseline) && isObject(candidate)) {
      this.#compareObjects(baseline, candidate, at);
    } else if (isArray(baseline) && isArray(candidate)) {
      this.#compareArrays(baseline, candidate, at);
    } else if (scalarText(baseline) !== scalarText(candidate)) {
      this.#add('value', at, baseline, candidate);
    }
  }

  /**
   * Of a value that may be the same in both: whether it says nothing even if it is there, and of the same type. What is
   * above it was looked at before.
   */
  #isLeftOut({ shown, actual, text }: At): boolean {
    const { ignored, noise } = this.#rules;
    const isNoise = noise.hasText(text, 'presence') || noise.hasText(text, 'type');
    return isNoise || ignored.has(shown, actual);
  }

  /** A name that is there several times is compared with the same occurrence of it. */
  #compareObjects(baseline: JsonValue<ObjectSpan>, candidate: JsonValue<ObjectSpan>, at: At): void {
    const others = new Map<string, { readonly values: JsonValue[]; compared: number }>();
    for (const [name, value] of membersOf(candidate)) {
      const known = others.get(name);
      if (known) known.values.push(value);
      else others.set(name, { values: [value], compared: 0 });
    }
    const missing: Member[] = [];
    for (const [name, value] of membersOf(baseline)) {
      const same = others.get(name);
      const other = same?.values[same.compared++];
      if (other) this.compare(value, other, memberAt(at, name));
      else missing.push([name, value]);
    }
    const added = [...others].flatMap(([name, { values, compared }]) =>
      values.slice(compared).map((value): Member => [name, value]),
    );
    // Among ids, a name that does not look like one is one, too.
    const isId = isMap([...membersOf(baseline), ...membersOf(candidate)]) ? () => true : isOfId;
    this.#compareIds(missing.filter(isId), added.filter(isId), at);
    const isName = (member: Member): boolean => !isId(member);
    this.#compareNames(missing.filter(isName), added.filter(isName), at);
  }

  /** Members that only one of the objects has, and whose names are ids. */
  #compareIds(missing: readonly Member[], added: readonly Member[], at: At): void {
    const place = [...at.shown, anyId];
    const { learns, noise } = this.#rules;
    const isRandom = learns || noise.has(place, 'names');
    const pairs = isRandom ? Math.min(missing.length, added.length) : 0;
    if (learns && pairs > 0) {
      this.#add('missing', idAt(at, missing[0]![0]), missing[0]![1], undefined, 'names');
    }
    for (let i = 0; i < pairs; i++) {
      this.compare(missing[i]![1], added[i]![1], idAt(at, missing[i]![0]));
    }
    const aspect = isRandom ? 'length' : 'names';
    this.#within([place, 'length'], () => {
      for (const [name, value] of missing.slice(pairs)) {
        this.#add('missing', idAt(at, name), value, undefined, aspect);
      }
      for (const [name, value] of added.slice(pairs)) {
        this.#add('added', idAt(at, name), undefined, value, aspect);
      }
    });
  }

  /** Members that only one of the objects has. */
  #compareNames(missing: readonly Member[], added: readonly Member[], at: At): void {
    const place = [...at.shown, any];
    const { learns, noise } = this.#rules;
    if (noise.has(place, 'names')) {
      this.#compareGenerated(missing, added, at);
      return;
    }
    for (const [name, value] of missing) {
      const member = memberAt(at, name);
      const report = (): void => this.#add('missing', member, value, undefined, 'presence');
      if (this.#isThereAgain(member)) report();
      else this.#within([place, 'names'], report);
    }
    this.#within([place, 'names'], () => {
      for (const [name, value] of added) {
        this.#add('added', memberAt(at, name), undefined, value, 'presence');
      }
    });
    if (learns && missing.length > 0 && added.length > 0) this.#addGenerated(missing, added, at);
  }

  /** As those of ids, but that there may be any number of them: no more was seen of names that are few. */
  #compareGenerated(missing: readonly Member[], added: readonly Member[], at: At): void {
    const stays = (member: Member): boolean => this.#isThereAgain(memberAt(at, member[0]));
    for (const [name, value] of missing.filter(stays)) {
      this.#add('missing', memberAt(at, name), value, undefined, 'presence');
    }
    const generated = missing.filter((member) => !stays(member));
    for (let i = 0; i < Math.min(generated.length, added.length); i++) {
      this.compare(generated[i]![1], added[i]![1], idAt(at, generated[i]![0]));
    }
  }

  /** A handler that takes names away and adds others may generate them. */
  #addGenerated(missing: readonly Member[], added: readonly Member[], at: At): void {
    const { text } = memberAt(at, any);
    const names = this.#generatedNames.get(text) ?? {
      missing: new Set<string>(),
      added: new Set<string>(),
    };
    this.#generatedNames.set(text, names);
    for (const [name] of missing) names.missing.add(name);
    for (const [name] of added) names.added.add(name);
    this.#add('missing', memberAt(at, any), missing[0]![1], undefined, 'names', names);
  }

  /** Whether the second response of the baseline has a member there, too, so that its name is not generated. */
  #isThereAgain({ text }: At): boolean {
    this.#placesAgain ??= memberPlaces(this.#rules.baselineAgain?.(), this.#root);
    return this.#placesAgain.has(text);
  }

  #compareArrays(baseline: JsonValue<ArraySpan>, candidate: JsonValue<ArraySpan>, at: At): void {
    const ones = elementsOf(baseline);
    const others = elementsOf(candidate);
    const elementAt = (i: number): At => below(at, any, String(i));
    const { equal, pairs, missing, added, isReordered } = matchElements(
      ones.map((one, i) => this.#keyOf(one, elementAt(i))),
      others.map((other, i) => this.#keyOf(other, elementAt(i))),
      (i) => this.#featuresOf(ones[i]!, elementAt(i)),
      (j) => this.#featuresOf(others[j]!, elementAt(j)),
    );
    if (isReordered) this.#add('order', at, baseline, candidate, 'order');
    for (const [i, j] of pairs) this.compare(ones[i]!, others[j]!, elementAt(i));
    if (this.#rules.ignored.hasUnused && !this.#rules.learns) {
      for (const [i, j] of equal) this.#noteIgnored(ones[i]!, others[j]!, elementAt(i));
    }
    for (const i of missing) this.#add('missing', elementAt(i), ones[i], undefined, 'length');
    for (const j of added) this.#add('added', elementAt(j), undefined, others[j], 'length');
  }

  /** Elements that are equal but for noise and what is ignored: notes the latter alone. */
  #noteIgnored(one: JsonValue, other: JsonValue, at: At): void {
    const wasNoting = this.#isNoting;
    this.#isNoting = true;
    this.compare(one, other, at);
    this.#isNoting = wasNoting;
  }

  /** The members of an object that are no noise, as texts; other values have none. */
  #featuresOf(value: JsonValue, at: At): Set<string> {
    const features = new Set<string>();
    if (!isObject(value)) return features;
    for (const [name, member] of membersOf(value)) {
      const place = memberAt(at, name);
      if (this.#isLeftOut(place) || this.#rules.noise.hasText(place.text)) continue;
      features.add(`${JSON.stringify(name)}:${this.#keyOf(member, place)}`);
    }
    return features;
  }

  /** A text that is the same for values that differ in nothing but noise, and in what is ignored. */
  #keyOf(value: JsonValue, at: At): string {
    // Those of scalars are made as quickly as they are found, and there are many.
    if (!hasParts(value)) return keyOf(this.#textFor(value, at));
    const known = this.#keys.get(value.span);
    if (known !== undefined) return known;
    const key = keyOf(this.#textFor(value, at));
    this.#keys.set(value.span, key);
    return key;
  }

  #textFor(value: JsonValue, at: At): string {
    if (this.#isLeftOut(at)) return '';
    const { noise } = this.#rules;
    if (noise.hasText(at.text)) return typeOf(value);
    if (isArray(value)) {
      const keys = elementsOf(value).map((element, i) =>
        this.#keyOf(element, below(at, any, String(i))),
      );
      if (noise.has(at.shown, 'order')) keys.sort();
      return `[${keys.join()}]`;
    }
    if (!isObject(value)) return scalarText(value);
    const keys = membersOf(value).flatMap(([name, member]) => {
      const place = memberAt(at, name);
      if (this.#isLeftOut(place)) return [];
      const isRandom = isIdName(name) && noise.has([...at.shown, anyId], 'names');
      return `${JSON.stringify(isRandom ? anyId : name)}:${this.#keyOf(member, place)}`;
    });
    return `{${keys.sort().join()}}`;
  }

  #within(reason: readonly [Place, Aspect], compare: () => void): void {
    const before = this.#coveredBy;
    this.#coveredBy = [...before, reason];
    compare();
    this.#coveredBy = before;
  }

  #add(
    kind: Difference['kind'],
    at: At,
    baseline: JsonValue | undefined,
    candidate: JsonValue | undefined,
    aspect?: Aspect,
    generatedNames?: Difference['generatedNames'],
  ): void {
    const key = `${aspect ?? ''}:${kind}:${at.text}`;
    if (this.#found.has(key)) return;
    const difference: Difference = {
      kind,
      at: at.shown,
      baseline: baseline && shown(baseline),
      candidate: candidate && shown(candidate),
      ...(aspect && { aspect }),
      ...(generatedNames && { generatedNames }),
      ...(this.#coveredBy.length > 0 && { coveredBy: this.#coveredBy }),
    };
    const { ignored, noise } = this.#rules;
    if (ignored.leavesOut(at.shown, at.actual) || noise.covers(difference)) return;
    if (!this.#isNoting) this.#found.set(key, difference);
  }
}

function shown(value: JsonValue): Shown {
  return { json: textOf(value) };
}

function hasParts(value: JsonValue): boolean {
  return isArray(value) || isObject(value);
}

function membersOf({ text, span }: JsonValue<ObjectSpan>): Member[] {
  return span.members.map(({ name, value }) => [decoded(text, name), { text, span: value }]);
}

function elementsOf({ text, span }: JsonValue<ArraySpan>): JsonValue[] {
  return span.items.map((item) => ({ text, span: item }));
}

function below(at: At, name: string, actualName: string): At {
  const known = at.children?.get(name);
  if (known) return known;
  const child = {
    shown: [...at.shown, name],
    actual: [...at.actual, actualName],
    text: `${at.text}.${pathText([name])}`,
    children: at.children && new Map<string, At>(),
  };
  at.children?.set(name, child);
  return child;
}

function memberAt(at: At, name: string): At {
  return below(at, isIdName(name) ? anyId : name, name);
}

function idAt(at: At, name: string): At {
  return below(at, anyId, name);
}

/** The places of all members of a value, as texts. */
function memberPlaces(value: JsonValue | undefined, root: At): Set<string> {
  const places = new Set<string>();
  const visit = (one: JsonValue, at: At): void => {
    if (isArray(one)) {
      elementsOf(one).forEach((element, i) => visit(element, below(at, any, String(i))));
    } else if (isObject(one)) {
      for (const [name, member] of membersOf(one)) {
        const place = memberAt(at, name);
        places.add(place.text);
        visit(member, place);
      }
    }
  };
  if (value) visit(value, root);
  return places;
}

function isOfId([name]: Member): boolean {
  return isIdName(name);
}

/** Whether most of these members have ids as their names. */
function isMap(members: readonly Member[]): boolean {
  return members.filter(isOfId).length > members.length / 2;
}
