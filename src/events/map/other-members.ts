import { ComposedText } from '../../json/composed-text.js';
import type { Member } from '../../json/member.js';
import type { PathNode } from './path-tree.js';

export interface OtherMembers {
  /** The bit of the event's type. */
  readonly type: number;
  /** Names that the event has already. */
  readonly except?: readonly string[];
  readonly withoutNulls?: boolean;
}

const lowerN = 0x6e;

/**
 * Adds the members of an object that are used nowhere else by events of this type. Their bytes stay as they
 * are; of an object of which a part is used the rest is added.
 *
 * @param count How many members `text` has already. Returns how many it has then.
 */
export function addOthers(
  text: ComposedText,
  node: PathNode,
  { type, except = [], withoutNulls = false }: OtherMembers,
  count: number,
): number {
  const { bytes, members } = node;
  let start = 0;
  let end = 0;
  for (const member of members) {
    const child = node.children.get(member.name);
    const isOut = except.includes(member.name) || (withoutNulls && bytes[member.start] === lowerN);
    if (!isOut && (!child || isWhole(child, type))) {
      if (end === 0) start = member.nameStart;
      end = member.end;
      continue;
    }
    count = addRun(start, end);
    end = 0;
    if (!isOut && child) addPart(child, member);
  }
  return addRun(start, end);

  /** Members side by side are one span. */
  function addRun(from: number, to: number): number {
    if (to === 0) return count;
    if (count > 0) text.add(',');
    text.span(bytes, from, to);
    return count + 1;
  }

  function addPart(child: PathNode, { nameStart, start: valueStart }: Member): void {
    const value = partOf(child, type);
    if (!value) return;
    if (count > 0) text.add(',');
    text.span(bytes, nameStart, valueStart).add(value);
    count++;
  }
}

/** Whether the value is as it is in the record, and no part of it is used. */
function isWhole(
  { usedBy, innerBy, isDecoded, isFound, members }: PathNode,
  type: number,
): boolean {
  if ((usedBy & type) !== 0 || isDecoded) return false;
  return (innerBy & type) === 0 || !isFound || members.length === 0;
}

function partOf(node: PathNode, type: number): ComposedText | Buffer | undefined {
  if ((node.usedBy & type) !== 0 || !node.isFound) return undefined;
  if ((node.innerBy & type) === 0 || node.members.length === 0) return node.text;
  const text = new ComposedText().add('{');
  return addOthers(text, node, { type }, 0) > 0 ? text.add('}') : undefined;
}
