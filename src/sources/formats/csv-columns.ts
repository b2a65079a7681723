import { UsageError } from '../../errors.js';
import { maxDepth } from '../../events/rules.js';

/** A member of the objects that a table is converted to. */
export interface Column {
  /** The name of the member, as JSON text with its colon. */
  readonly prefix: Buffer;
  /** The name of the column, for messages. */
  readonly name: string;
  /** Its cell in each record. */
  readonly cell: number;
  /** Whether the cells are JSON values; else they are text. */
  readonly isJson: boolean;
  readonly members?: undefined;
}

/** A member that is an object: those of the columns whose names begin with the same words. */
export interface Group {
  readonly prefix: Buffer;
  readonly members: readonly (Column | Group)[];
}

/** How the records of a table become objects. */
export interface Columns {
  /** How many cells a record has. */
  readonly count: number;
  /** Those of one object stand together, even where other columns stand between them. */
  readonly members: readonly (Column | Group)[];
  /** What an object has at most beside its values: names, colons, commas and braces. */
  readonly frameBytes: number;
}

/** The end of the name of a column whose cells are JSON values. */
const jsonMark = ':=';

/** Each record repeats the name; 1 MB of short records with a long name would become gigabytes. */
const maxNameBytes = 1000;

type Tree = Map<string, Tree | Column>;

/**
 * Reads the names of columns: dots in a name nest, `:=` behind it means JSON values.
 *
 * @param name the file, for messages
 * @throws UsageError for names that cannot be those of members
 */
export function columnsOf(names: readonly string[], name: string): Columns {
  const root: Tree = new Map();
  const fail = (problem: string): never => {
    throw new UsageError(`${name}: ${problem}`, 'csv_header');
  };
  for (const [cell, given] of names.entries()) {
    const problem = problemOf(given, cell) ?? addColumn(root, given, cell);
    if (typeof problem === 'string') fail(problem);
  }
  const members = membersOf(root);
  return { count: names.length, members, frameBytes: frameBytesOf(members) };
}

function problemOf(name: string, index: number): string | undefined {
  const column = `column ${index + 1} of the header`;
  if (withoutMark(name) === '') return `${column} has no name; give it one`;
  if (Buffer.byteLength(name) > maxNameBytes)
    return `${column} has a name of more than ${maxNameBytes} bytes; begin the file with a line of column names`;
  if (name.split('.').length > maxDepth)
    return `${column} nests more than ${maxDepth} levels; use fewer dots in its name`;
  return undefined;
}

/** Adds the column, or returns why that is impossible. */
function addColumn(root: Tree, given: string, cell: number): Column | string {
  const isJson = given.endsWith(jsonMark);
  const path = withoutMark(given).split('.');
  const last = path.pop()!;
  let tree = root;
  for (const [i, word] of path.entries()) {
    const found = tree.get(word) ?? new Map<string, Tree | Column>();
    if (!(found instanceof Map)) return beside(path.slice(0, i + 1).join('.'), withoutMark(given));
    tree.set(word, found);
    tree = found;
  }
  const other = tree.get(last);
  if (other instanceof Map)
    return beside(withoutMark(given), `${withoutMark(given)}.${firstOf(other)}`);
  if (other) return `the header has two columns ${quoted(given)}; rename or remove one of them`;
  const column = { prefix: prefixOf(last), name: withoutMark(given), cell, isJson };
  tree.set(last, column);
  return column;
}

function beside(outer: string, inner: string): string {
  return `the header has the columns ${quoted(outer)} and ${quoted(inner)}, but a value cannot have members; rename one of them`;
}

function firstOf(tree: Tree): string {
  const [[name, value]] = tree as Iterable<[string, Tree | Column]> as [[string, Tree | Column]];
  return value instanceof Map ? `${name}.${firstOf(value)}` : name;
}

function withoutMark(name: string): string {
  return name.endsWith(jsonMark) ? name.slice(0, -jsonMark.length) : name;
}

function quoted(name: string): string {
  return JSON.stringify(withoutMark(name).slice(0, 100));
}

function membersOf(tree: Tree): (Column | Group)[] {
  return [...tree].map(([name, value]) =>
    value instanceof Map ? { prefix: prefixOf(name), members: membersOf(value) } : value,
  );
}

function prefixOf(name: string): Buffer {
  return Buffer.from(`${JSON.stringify(name)}:`);
}

function frameBytesOf(members: readonly (Column | Group)[]): number {
  const sizes = members.map(({ prefix, members: inner }) => {
    return prefix.length + 1 + (inner ? frameBytesOf(inner) : 2);
  });
  return sizes.reduce((sum, size) => sum + size, 2);
}
