import { ComposedText, type TextPart } from '../../json/composed-text.js';
import { valueAt } from '../../json/members.js';
import {
  isConst,
  isPathValue,
  membersOf,
  type MapMembers,
  type MapValue,
  type PathValue,
} from './event-map.js';
import { MapViolation, shown } from './map-violation.js';
import { addOthers } from './other-members.js';
import { pathNames, restNames } from './path.js';
import { jsonInText, type PathNode, type PathTree } from './path-tree.js';
import { timeText } from './time-text.js';
import { Zone } from './zone.js';

/** The JSON text of a value for an event of a type, given by its bit; undefined if the record has none. */
export type ReadValue = (type: number) => TextPart | undefined;

export interface ValueContext {
  readonly tree: PathTree;
  /** Bits of the event types that have the value. */
  readonly types: number;
  /** The member of the event, for messages. */
  readonly target: string;
  /** Whether it is a member of the event itself, and not inside one. */
  readonly isTop: boolean;
  /** Is told each path, or the alternatives of a path, that should be found. */
  readonly watch: (nodes: readonly PathNode[]) => void;
}

const openBrace = 0x7b;
const openBracket = 0x5b;

/** Prepares a value of a map. */
export function compileValue(value: MapValue, context: ValueContext): ReadValue {
  if (typeof value !== 'object') {
    const rest = restNames(value);
    return rest ? readRest(rest, context) : readPath({ path: value }, context);
  }
  if (isConst(value)) {
    const text = JSON.stringify(value.const);
    return () => text;
  }
  if (isPathValue(value)) return readPath(value, context);
  return readMembers(membersOf(value), context);
}

function readRest(names: readonly string[], context: ValueContext): ReadValue {
  const node = useRest(names, context);
  return (type) => {
    const text = new ComposedText().add('{');
    return addOthers(text, node, { type }, 0) > 0 ? text.add('}') : undefined;
  };
}

/** The object whose other members are asked for. */
export function useRest(names: readonly string[], { tree, types, watch }: ValueContext): PathNode {
  const node = tree.use(names, types);
  node.needsMembers = true;
  if (names.length > 0) watch([node]);
  return node;
}

function readMembers({ '*': rest, ...members }: MapMembers, context: ValueContext): ReadValue {
  const inner = { ...context, isTop: false };
  const readers = Object.entries(members).map(([name, value]) => ({
    name,
    beginning: `${JSON.stringify(name)}:`,
    read: compileValue(value, inner),
  }));
  const others = typeof rest === 'string' ? useRest(restNames(rest)!, inner) : undefined;
  return (type) => {
    const text = new ComposedText().add('{');
    const except: string[] = [];
    for (const { name, beginning, read } of readers) {
      const value = read(type);
      if (value === undefined) continue;
      text.add(except.length > 0 ? `,${beginning}` : beginning).add(value);
      except.push(name);
    }
    const { length } = except;
    const count = others ? addOthers(text, others, { type, except }, length) : length;
    return count > 0 ? text.add('}') : undefined;
  };
}

function readPath(value: PathValue, context: ValueContext): ReadValue {
  const paths = typeof value.path === 'string' ? [value.path] : value.path;
  const nodes = paths.map((path) => context.tree.use(pathNames(path), context.types));
  context.watch(nodes);
  const missing = readMissing(value, nodes, context);
  const convert = conversion(value, context);
  return () => {
    for (const node of nodes) {
      if (!node.isFound || node.isNull) continue;
      const text = convert ? convert(node) : node.text;
      if (text !== undefined) return text;
    }
    return missing();
  };
}

function readMissing(value: PathValue, nodes: readonly PathNode[], { target }: ValueContext) {
  const text = value.default === undefined ? undefined : JSON.stringify(value.default);
  const paths = nodes.map(({ path }) => path).join(', ');
  return () => {
    if (text !== undefined || value.required !== true) return text;
    throw new MapViolation(
      `missing_${snakeCase(target)}`,
      `no ${target}: the record has no ${paths}`,
    );
  };
}

type Convert = (node: PathNode) => TextPart | undefined;

/** Undefined for a value that passes through. */
function conversion(value: PathValue, { target, isTop }: ValueContext): Convert | undefined {
  const { values, json, unit, zone } = value;
  const isTime = unit !== undefined || zone !== undefined;
  if (values) return lookup(new Map(Object.entries(values)), value, target);
  if (json === true)
    return (node) => (node.isText ? jsonInText(node.bytes, node, node.path) : node.text);
  if (isTime || (isTop && target === 'timestamp')) {
    const rules = {
      unit: unit ?? 'auto',
      zone: zone === undefined ? undefined : new Zone(zone),
      local: value.local === true,
    };
    return (node) => {
      const text = textOf(node, target);
      if (text === '') return undefined;
      const time = timeText(text, rules);
      if (typeof time === 'string') return node.isText && time === text ? node.text : `"${time}"`;
      const message = `${target}: ${shown(text)} at ${node.path} ${time.reason}`;
      throw new MapViolation('invalid_timestamp', message);
    };
  }
  // Numbers that JSON.parse would round must not make two ids one, and an event needs a name that is a text.
  const needsText = isTop && (target === 'messageId' || target === 'event');
  return value.as === 'text' || needsText ? asText : undefined;
}

function asText(node: PathNode): TextPart {
  const first = node.bytes[node.start];
  if (node.isText || first === openBrace || first === openBracket) return node.text;
  return `"${node.text.toString('latin1')}"`;
}

function lookup(values: ReadonlyMap<string, unknown>, value: PathValue, target: string): Convert {
  const texts = new Map([...values].map(([name, result]) => [name, JSON.stringify(result)]));
  const otherwise = value.default === undefined ? undefined : JSON.stringify(value.default);
  return (node) => {
    const text = textOf(node, target);
    const found = texts.get(text) ?? otherwise;
    if (found !== undefined) return found;
    const message = `${target}: ${shown(text)} at ${node.path} is not among the values of the map; add it, or a default`;
    throw new MapViolation('unknown_value', message);
  };
}

/** A text, or the spelling of a number or boolean. */
export function textOf(node: PathNode, target: string): string {
  const first = node.bytes[node.start];
  if (first === openBrace || first === openBracket) {
    throw new MapViolation(
      'not_a_text',
      `${target}: the value at ${node.path} is not a text or number`,
    );
  }
  if (node.isText) return valueAt(node.bytes, node) as string;
  return node.text.toString('latin1');
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
