import { scanMembers, valueAt, type Member } from '../../json/members.js';
import { endOfValue, skipSpace } from '../../json/scan.js';
import { MapViolation } from './map-violation.js';

const quote = 0x22;
const openBrace = 0x7b;
const openBracket = 0x5b;
const lowerN = 0x6e;
const noBytes: Buffer = Buffer.alloc(0);
const noMembers: readonly Member[] = [];

/** A path of a map, and what the latest record has there. */
export class PathNode {
  readonly path: string;
  readonly children = new Map<string, PathNode>();
  /** A text found here holds JSON. */
  isJson = false;
  /** Bits of the event types that use the value itself. */
  usedBy = 0;
  /** Bits of the event types that use a value inside it. */
  innerBy = 0;
  /** Whether the members of the object are asked for. */
  needsMembers = false;
  /** Whether any record had it. */
  wasFound = false;

  isFound = false;
  /** Whether the value was read from a text; an empty text is no value. */
  isDecoded = false;
  bytes = noBytes;
  start = 0;
  end = 0;
  members = noMembers;

  constructor(path: string) {
    this.path = path;
  }

  get isNull(): boolean {
    return this.bytes[this.start] === lowerN;
  }

  /** Whether it is neither an object nor a list nor null. */
  get isScalar(): boolean {
    const first = this.bytes[this.start];
    return first !== openBrace && first !== openBracket && first !== lowerN;
  }

  get isText(): boolean {
    return this.bytes[this.start] === quote;
  }

  get text(): Buffer {
    return this.bytes.subarray(this.start, this.end);
  }

  /** Of an object, and of any other value none. */
  read(bytes: Buffer, { start, end }: Pick<Member, 'start' | 'end'>): void {
    // The last of duplicated members counts, as in JSON.parse.
    if (this.isFound) this.clear();
    this.isFound = this.wasFound = true;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    if (this.isJson && this.isText) this.#decode();
    if (!this.needsMembers || this.bytes[this.start] !== openBrace) return;
    this.readMembers(this.text, scanMembers(this.text).members);
  }

  readMembers(bytes: Buffer, members: readonly Member[]): void {
    this.members = members;
    this.bytes = bytes;
    this.start = 0;
    this.end = bytes.length;
    for (const member of members) this.children.get(member.name)?.read(bytes, member);
  }

  clear(): void {
    this.isFound = this.isDecoded = false;
    this.members = noMembers;
    this.bytes = noBytes;
    for (const child of this.children.values()) if (child.isFound) child.clear();
  }

  #decode(): void {
    const text = jsonInText(this.bytes, this, this.path);
    this.isDecoded = true;
    this.isFound = text !== undefined;
    this.bytes = text ?? noBytes;
    this.start = 0;
    this.end = this.bytes.length;
  }
}

/** The paths of a map: each record is looked up in one walk. */
export class PathTree {
  readonly root = new PathNode('');

  /** The node of a path, whose value is used by events of these types. */
  use(names: readonly string[], types: number): PathNode {
    let node = this.root;
    for (const name of names) {
      node.innerBy |= types;
      node.needsMembers = true;
      let child = node.children.get(name);
      if (!child) node.children.set(name, (child = new PathNode(pathTo(node, name))));
      node = child;
    }
    node.usedBy |= types;
    return node;
  }

  /** Looks up all paths in a JSON object. Returns false for any other text. */
  read(record: Buffer): boolean {
    const { members, isValid } = scanMembers(record);
    if (!isValid) return false;
    this.root.clear();
    this.root.readMembers(record, members);
    return true;
  }
}

function pathTo(parent: PathNode, name: string): string {
  const escaped = name.replace(/[\\.]/g, '\\$&');
  return parent.path === '' ? escaped : `${parent.path}.${escaped}`;
}

/**
 * The JSON that a JSON text holds; undefined if that is empty.
 *
 * @throws MapViolation if it is not JSON.
 */
export function jsonInText(
  bytes: Buffer,
  span: Pick<Member, 'start' | 'end'>,
  path: string,
): Buffer | undefined {
  const text = Buffer.from((valueAt(bytes, span) as string).trim());
  if (text.length === 0) return undefined;
  const end = endOfValue(text, 0, { depth: 1 });
  if (end >= 0 && skipSpace(text, end) === text.length) return text;
  throw new MapViolation('not_json', `the text at ${path} is not JSON`);
}
