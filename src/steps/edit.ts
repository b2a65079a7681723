import { ObjectEditor } from '../json/object-editor.js';
import { ObjectText } from '../json/object-text.js';
import { isObjectText } from '../json/set-in.js';
import { valueText } from '../json/members.js';

/** A name of each level; `anyName` stands for every member of its level. */
export type Path = readonly (string | typeof anyName)[];

export const anyName = null;

/** The new JSON text of a value; null removes its member, undefined keeps it. */
export type Change = (value: Buffer) => Buffer | null | undefined;

/**
 * Changes all values at a path in the text of an object, those of duplicated names included: what is
 * dropped or hashed must not stay behind. Returns the same text if there are none. Elements of lists are
 * no members.
 */
export function changeAt(object: Buffer, path: Path, change: Change): Buffer {
  const [name, ...inner] = path;
  const text = new ObjectText(object);
  const editor = new ObjectEditor(text);
  let isChanged = false;
  for (const [index, member] of text.members.entries()) {
    if (name !== anyName && member.name !== name) continue;
    const value = valueText(object, member);
    const changed = inner.length === 0 ? change(value) : changeWithin(value, inner, change);
    if (changed === undefined || changed === value) continue;
    editor.setAt(index, changed);
    isChanged = true;
  }
  return isChanged ? editor.text().toBuffer() : object;
}

function changeWithin(value: Buffer, path: Path, change: Change): Buffer {
  return isObjectText(value) ? changeAt(value, path, change) : value;
}
