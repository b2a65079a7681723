import { scanMembers, type Member } from '../json/members.js';

/** The text of an object without members. */
export const emptyObject: Buffer = Buffer.from('{}');

/**
 * Puts a value into the text of a JSON object, at a path of member names, and leaves every other
 * byte as it is. A member that is there keeps its place; a new one goes to the end of its object,
 * and the objects on the way are made where they are missing. Of names that stand twice the last
 * is meant, the one that `JSON.parse` sees.
 *
 * `object` and `value` must be valid JSON text, `path` must have a name, and nothing may be in
 * the way of it (see `obstacle`).
 */
export function setIn(object: Buffer, path: readonly string[], value: Buffer): Buffer {
  const [name, ...inner] = path as [string, ...string[]];
  const { members } = scanMembers(object);
  const member = lastNamed(members, name);
  if (!member) return append(object, members, name, nest(inner, value));
  if (inner.length === 0) return splice(object, member, value);
  return splice(object, member, setIn(valueOf(object, member), inner, value));
}

/**
 * The names down to the first value on the way that is no object, so that nothing can be set
 * inside of it; `undefined` when the way is free.
 */
export function obstacle(object: Buffer, path: readonly string[]): string[] | undefined {
  const [name, ...inner] = path;
  if (name === undefined) return undefined;
  if (!isObjectText(object)) return [];
  const text = textOf(object, name);
  const found = text && obstacle(text, inner);
  return found && [name, ...found];
}

/** The text of a member's value; of the last one, where the name stands twice. */
export function textOf(object: Buffer, name: string): Buffer | undefined {
  const member = lastNamed(scanMembers(object).members, name);
  return member && valueOf(object, member);
}

/** Whether a valid JSON text is an object. */
export function isObjectText(text: Buffer): boolean {
  return text.toString('latin1').trimStart().startsWith('{');
}

function lastNamed(members: readonly Member[], name: string): Member | undefined {
  return members.findLast((member) => member.name === name);
}

function valueOf(object: Buffer, { start, end }: Member): Buffer {
  return object.subarray(start, end);
}

function splice(object: Buffer, { start, end }: Member, value: Buffer): Buffer {
  return Buffer.concat([object.subarray(0, start), value, object.subarray(end)]);
}

function append(object: Buffer, members: readonly Member[], name: string, value: Buffer): Buffer {
  const last = members.at(-1);
  const at = last?.end ?? object.indexOf('{') + 1;
  const lead = Buffer.from(`${last ? ',' : ''}${JSON.stringify(name)}:`);
  return Buffer.concat([object.subarray(0, at), lead, value, object.subarray(at)]);
}

function nest(path: readonly string[], value: Buffer): Buffer {
  return path.reduceRight((inner, name) => append(emptyObject, [], name, inner), value);
}
