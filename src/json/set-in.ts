import type { ComposedText } from './composed-text.js';
import { valueText } from './members.js';
import { ObjectEditor } from './object-editor.js';
import { ObjectText } from './object-text.js';

/** The text of an object without members. */
export const emptyObject: Buffer = Buffer.from('{}');

/**
 * Sets a value at a path of member names; missing objects in between are added. `value` must be
 * valid JSON text, `path` must not be empty, and must have no `obstacle`.
 */
export function setIn(object: Buffer, path: readonly string[], value: Buffer): Buffer {
  return setting(new ObjectText(object), path, value).toBuffer();
}

function setting(object: ObjectText, path: readonly string[], value: Buffer): ComposedText {
  const [name, ...inner] = path as [string, ...string[]];
  const child = () => object.child(name) ?? new ObjectText(emptyObject);
  const text = inner.length === 0 ? value : setting(child(), inner, value);
  return new ObjectEditor(object).set(name, text).text();
}

/**
 * The path of the first value along `path` that is not an object, so that nothing can be set inside
 * it; undefined if there is none.
 */
export function obstacle(object: Buffer, path: readonly string[]): string[] | undefined {
  const [name, ...inner] = path;
  if (name === undefined) return undefined;
  if (!isObjectText(object)) return [];
  const text = textOf(object, name);
  const found = text && obstacle(text, inner);
  return found && [name, ...found];
}

/** The text of a member's value; of the last member if the name is duplicated. */
export function textOf(object: Buffer, name: string): Buffer | undefined {
  const member = new ObjectText(object).find(name);
  return member && valueText(object, member);
}

/** Whether a valid JSON text is an object. */
export function isObjectText(text: Buffer): boolean {
  return text.toString('latin1').trimStart().startsWith('{');
}
