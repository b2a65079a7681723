import { isUtf8 } from 'node:buffer';
import { ComposedText } from '../../json/composed-text.js';
import { eventTypes, type EventType } from '../event.js';
import { parseObject, Refusal } from '../parse.js';
import type { Violation } from '../rules.js';
import { textBytes } from './text-bytes.js';
import { targets, type EventMap, type SkipRule, type TargetName } from './event-map.js';
import { MapViolation } from './map-violation.js';
import { addOthers } from './other-members.js';
import { pathNames, restNames } from './path.js';
import { PathTree, type PathNode } from './path-tree.js';
import { compileValue, textOf, useRest, type ReadValue, type ValueContext } from './values.js';

/** The texts of the events of a record, `skipped`, or why the record is no event. */
export type MapResult = MappedRecord | 'skipped' | Violation;

export interface MappedRecord {
  /** The texts of the events. */
  readonly events: readonly Buffer[];
  /** Of a record that holds several: the record of each event, from which it can be made alone. */
  readonly records?: readonly Buffer[];
}

/** Makes events of the texts of records, each one JSON object. */
export interface RecordMapper {
  map(record: Buffer): MapResult;
  /** Paths that no record had so far, each also with its alternatives as `a or b`. */
  unusedPaths(): string[];
}

/**
 * The records that a record stands for; none if it is skipped.
 *
 * @throws MapViolation for a record that cannot become an event. A text that is not a JSON object is returned
 * as it is.
 */
export type BeforeMap = (record: Buffer) => readonly Buffer[];

export interface CompileOptions {
  /** Brings records into the form that the map expects. */
  readonly before?: BeforeMap | undefined;
  /** The members of the map whose paths `unusedPaths` reports. Default: all. */
  readonly watched?: readonly string[];
}

interface Plan {
  readonly type: number;
  readonly members: readonly PlannedMember[];
}

interface PlannedMember {
  readonly name: string;
  readonly beginning: string;
  readonly read: ReadValue;
}

/** Types that parsing the event will refuse. */
const unknownType = eventTypes.length;
const allTypes = 2 ** (unknownType + 1) - 1;

const typesOf: Readonly<Partial<Record<TargetName, readonly EventType[]>>> = {
  event: ['track'],
  name: ['page', 'screen'],
  category: ['page', 'screen'],
  groupId: ['group'],
  previousId: ['alias'],
  properties: ['track', 'page', 'screen'],
  traits: ['identify', 'group'],
};

/** Prepares a map, whose `from` must have been resolved. */
export function compileMap(map: EventMap, options: CompileOptions = {}): RecordMapper {
  return new CompiledMap(map, options);
}

class CompiledMap implements RecordMapper {
  readonly #tree = new PathTree();
  readonly #before: BeforeMap | undefined;
  readonly #watched: (readonly PathNode[])[] = [];
  readonly #skips: readonly { readonly node: PathNode; readonly texts: ReadonlySet<string> }[];
  readonly #type: ReadValue;
  readonly #plans: readonly Plan[];
  readonly #others: PathNode | undefined;

  constructor(map: EventMap, { before, watched }: CompileOptions) {
    this.#before = before;
    const context = (target: string, types: number): ValueContext => ({
      tree: this.#tree,
      types,
      target,
      isTop: true,
      watch: (nodes) => {
        if (!watched || watched.includes(target)) this.#watched.push(nodes);
      },
    });
    for (const path of map.json ?? []) this.#tree.use(pathNames(path), 0).isJson = true;
    for (const path of map.drop ?? []) this.#tree.use(pathNames(path), allTypes);
    this.#skips = skipRules(map).map(({ path, in: values }) => ({
      node: this.#tree.use(pathNames(path), allTypes),
      texts: new Set(values.map(String)),
    }));
    const typeValue = map.type;
    this.#type =
      typeValue === undefined
        ? () => undefined
        : compileValue(typeValue, context('type', allTypes));
    const members = targets.flatMap((name) => {
      const value = map[name];
      if (name === 'type' || value === undefined) return [];
      const types = bitsOf(name);
      const read = compileValue(value, context(name, types));
      return [{ name, beginning: `,"${name}":`, types, read }];
    });
    const rest = map['*'];
    this.#others =
      rest === undefined ? undefined : useRest(restNames(rest)!, context('*', allTypes));
    this.#plans = Array.from({ length: unknownType + 1 }, (_, index) => {
      const type = 2 ** index;
      return { type, members: members.filter(({ types }) => (types & type) !== 0) };
    });
  }

  map(record: Buffer): MapResult {
    // Texts are decoded, which would hide bytes that are not UTF-8.
    if (!isUtf8(record)) return violationOf(record);
    const events: Buffer[] = [];
    const used: Buffer[] = [];
    let part = 0;
    try {
      const records = this.#before ? this.#before(record) : [record];
      for (const each of records) {
        if (records.length > 1) part++;
        if (!this.#tree.read(each)) return violationOf(each);
        if (this.#isSkipped()) continue;
        events.push(this.#event());
        used.push(each);
      }
      if (events.length === 0) return 'skipped';
      return records.length > 1 ? { events, records: used } : { events };
    } catch (error) {
      if (error instanceof MapViolation) return inPart(error.violation, part);
      throw error;
    }
  }

  unusedPaths(): string[] {
    const unused = this.#watched.filter((nodes) => !nodes.some(({ wasFound }) => wasFound));
    return [...new Set(unused.map((nodes) => nodes.map(({ path }) => path).join(' or ')))];
  }

  #isSkipped(): boolean {
    return this.#skips.some(
      ({ node, texts }) => node.isFound && node.isScalar && texts.has(textOf(node, 'skip')),
    );
  }

  #event(): Buffer {
    const value = this.#type(allTypes);
    if (value === undefined)
      throw new MapViolation(
        'missing_type',
        'the record has no type of event; a map can name it, like type: { const: page }',
      );
    const type = typeof value === 'string' ? value : bytesOf(value).toString();
    const { type: bit, members } = this.#plans[indexOfType(type)]!;
    const text = new ComposedText().add(`{"type":${type}`);
    const names = ['type'];
    for (const { name, beginning, read } of members) {
      const member = read(bit);
      if (member === undefined) continue;
      text.add(beginning).add(member);
      names.push(name);
    }
    if (this.#others) {
      const options = { type: bit, except: names, withoutNulls: true };
      addOthers(text, this.#others, options, names.length);
    }
    return textBytes(text.add('}'));
  }
}

const typeIndices = new Map<string, number>(eventTypes.map((type, index) => [`"${type}"`, index]));

function indexOfType(text: string): number {
  return typeIndices.get(text) ?? unknownType;
}

function bitsOf(target: TargetName): number {
  const types = typesOf[target];
  if (!types) return allTypes;
  return types.reduce((bits, type) => bits | (2 ** eventTypes.indexOf(type)), 2 ** unknownType);
}

function skipRules({ skip = [] }: EventMap): readonly SkipRule[] {
  return 'path' in skip ? [skip] : skip;
}

function bytesOf(text: Buffer | ComposedText): Buffer {
  return Buffer.isBuffer(text) ? text : textBytes(text);
}

/** None of the events of a record is sent if one cannot be made: the record is rejected as a whole. */
function inPart({ code, message }: Violation, part: number): Violation {
  return { code, message: part === 0 ? message : `event ${part} of the record: ${message}` };
}

function violationOf(record: Buffer): Violation {
  const value = parseObject(record, false);
  return value instanceof Refusal ? value.violation : { code: 'not_json', message: 'not JSON' };
}
