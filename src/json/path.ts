import { valueText } from './members.js';
import { ObjectText } from './object-text.js';
import { isObjectText } from './set-in.js';

/**
 * Splits a path of member names at its dots; `\.` is a dot within a name.
 */
export function parsePath(text: string): string[] {
  return text.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
}

/** Writes a path as `parsePath` reads it. */
export function pathText(path: readonly string[]): string {
  return path.map((name) => name.replaceAll('.', '\\.')).join('.');
}

/** The JSON text of the value at a path; of the last one where a name is duplicated. */
export function valueAtPath(object: Buffer, path: readonly string[]): Buffer | undefined {
  let value: Buffer | undefined = object;
  for (const name of path) {
    if (value === undefined || !isObjectText(value)) return undefined;
    const member = new ObjectText(value).find(name);
    value = member && valueText(value, member);
  }
  return value;
}
