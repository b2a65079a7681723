import { UsageError } from '../errors.js';
import { quoted } from '../quoted.js';
import { jsonProblem } from '../json/source.js';

/** A `-P` or `-T` flag: a value's JSON text, at a path below properties or traits. */
export interface Assignment {
  readonly path: readonly string[];
  readonly value: Buffer;
}

/**
 * Reads `key=text` or `key:=json`. The first `=` splits, dots in the key nest, `\.` is a dot of the
 * name itself. JSON text is kept unchanged.
 *
 * @param flag The flag's name, for errors.
 * @throws UsageError that names flag and key.
 */
export function parseAssignment(flag: string, text: string): Assignment {
  const split = text.indexOf('=');
  if (split === -1) throw malformed(flag, text, 'has no value');
  const isJson = text[split - 1] === ':';
  const key = text.slice(0, isJson ? split - 1 : split);
  const path = parsePath(key);
  if (path.includes('')) throw malformed(flag, key, 'has an empty name in its key');
  const value = text.slice(split + 1);
  if (!isJson) return { path, value: Buffer.from(JSON.stringify(value)) };
  const problem = jsonProblem(value);
  if (problem) throw new UsageError(`${flag} ${key}:= ${problem}; use ${key}=… for text`);
  return { path, value: Buffer.from(value) };
}

function parsePath(key: string): string[] {
  return key.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
}

function malformed(flag: string, key: string, what: string): UsageError {
  return new UsageError(
    `${flag} ${quoted(key, 'argument')} ${what}; write key=text or key:=json, with dots to nest`,
  );
}
