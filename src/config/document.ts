import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Alias,
  type Document,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { UsageError } from '../errors.js';
import { hideReferences, type HiddenReferences, type Where } from './environment.js';

/** A YAML or JSON file as a plain value; each `${NAME}` is still text. */
export interface ConfigDocument {
  /** Its path. */
  readonly file: string;
  readonly value: unknown;
  /** `file:line: key.path` of the deepest part of `path` that exists in the file. */
  readonly where: Where;
}

/**
 * Parses the text of a configuration file. JSON is YAML, so one parser reads both.
 *
 * @throws UsageError with file and line for text that is not YAML; it never quotes the text, which may
 * be a secret.
 */
export function parseConfig(text: string, file: string): ConfigDocument {
  const hidden = hideReferences(text);
  const lines = new LineCounter();
  const document = parseDocument(hidden.text, {
    lineCounter: lines,
    logLevel: 'error',
    merge: true,
    prettyErrors: false,
    // `checkKeys` reports duplicates with the name of the key.
    uniqueKeys: false,
  });
  const lineAt = (offset: number) => lines.linePos(offset).line || 1;
  // A warning (an unknown !tag) means that the value differs from what the file shows.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw notYaml(file, lineAt(problem.pos[0]), problem.code);
  const stray = restoreReferences(document, hidden);
  if (stray) throw notYaml(file, lineAt(stray.range?.[0] ?? 0), 'BAD_ALIAS');
  const where: Where = (path) => `${file}:${lineAt(offsetOf(document, path))}: ${pathText(path)}`;
  checkKeys(document.contents, [], (path, offset, problem) => {
    throw new UsageError(`${file}:${lineAt(offset)}: ${pathText(path)} ${problem(lineAt)}`);
  });
  return { file, value: plainValue(document, file), where };
}

type Refuse = (
  path: readonly PropertyKey[],
  offset: number,
  problem: (lineAt: (offset: number) => number) => string,
) => void;

/** Reports duplicate keys of a mapping, for which the parser would silently use the last one. */
function checkKeys(node: unknown, path: readonly PropertyKey[], refuse: Refuse): void {
  if (isSeq(node)) node.items.forEach((item, index) => checkKeys(item, [...path, index], refuse));
  if (!isMap(node)) return;
  const offsets = new Map<string, number>();
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue;
    if (isMergeKey(key)) {
      checkKeys(value, path, refuse);
      continue;
    }
    const name = String(key.value);
    const [offset] = key.range ?? [0];
    const before = offsets.get(name);
    const at = [...path, name];
    // Assigned to an object it would be lost, and schema checks do not see it.
    if (name === '__proto__') refuse(at, offset, () => 'cannot be used as a name; choose another');
    if (before !== undefined) {
      refuse(
        at,
        offset,
        (lineAt) => `is duplicated: it is also on line ${lineAt(before)}; keep one`,
      );
    }
    offsets.set(name, offset);
    checkKeys(value, at, refuse);
  }
}

/** `<<`, which the parser distinguishes from the text "<<". */
function isMergeKey({ value }: Scalar): boolean {
  return typeof value === 'symbol';
}

const explanations: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'a value that begins with * needs quotes',
  BAD_DQ_ESCAPE: 'a backslash in double quotes must be doubled; in single quotes it need not be',
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed',
  BAD_SCALAR_START: 'a value that begins with @ or ` needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a value that contains ": " needs quotes',
  MISSING_CHAR: 'a quote, comma or bracket is missing',
  MULTIPLE_DOCS: 'a second document (---) starts; use one document per file',
  TAB_AS_INDENT: 'tabs cannot be used for indentation; use spaces',
  TAG_RESOLVE_FAILED: 'a value that begins with ! needs quotes',
};

function notYaml(file: string, line: number, code: string): UsageError {
  const explanation = explanations[code] ?? code.toLowerCase().replaceAll('_', ' ');
  const format = file.endsWith('.json') ? 'JSON' : 'YAML';
  return new UsageError(`${file}:${line}: not valid ${format}: ${explanation}`);
}

/** Restores `${NAME}` in strings and keys; returns the first alias without an anchor. */
function restoreReferences(document: Document, hidden: HiddenReferences): Alias | undefined {
  let stray: Alias | undefined;
  visit(document, {
    Alias(_, alias) {
      if (!alias.resolve(document)) stray ??= alias;
    },
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string') scalar.value = hidden.restore(scalar.value);
    },
  });
  return stray;
}

function plainValue(document: Document, file: string): unknown {
  try {
    return (document.toJS() as unknown) ?? {};
  } catch (cause) {
    // The parser limits the expansion of aliases, so that a small file cannot fill the memory.
    throw new UsageError(`${file}: its aliases cannot be expanded; write the values out`, 'usage', {
      cause,
    });
  }
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    const next = childOf(document, resolved(document, node), key);
    if (!next) break;
    ({ node, offset } = next);
  }
  return offset;
}

function resolved(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

interface Child {
  readonly node: unknown;
  readonly offset: number;
}

function childOf(document: Document, node: unknown, key: PropertyKey): Child | undefined {
  if (isMap(node)) return memberOf(node, key) ?? mergedMemberOf(document, node, key);
  if (!isSeq(node) || typeof key !== 'number') return undefined;
  const item = node.items[key];
  return isScalar(item) || isMap(item) || isSeq(item) || isAlias(item)
    ? { node: item, offset: item.range?.[0] ?? 0 }
    : undefined;
}

function memberOf({ items }: YAMLMap, name: PropertyKey): Child | undefined {
  for (const { key, value } of items) {
    if (!isScalar(key) || isMergeKey(key) || String(key.value) !== String(name)) continue;
    return { node: value, offset: key.range?.[0] ?? 0 };
  }
  return undefined;
}

/** A member that `<<` merges from another mapping, or from the first of several that has it. */
function mergedMemberOf(document: Document, { items }: YAMLMap, key: PropertyKey) {
  for (const item of items) {
    if (!isScalar(item.key) || !isMergeKey(item.key)) continue;
    const given = resolved(document, item.value);
    const maps = isSeq(given) ? given.items.map((one) => resolved(document, one)) : [given];
    const found = maps.map((map) => childOf(document, map, key)).find(Boolean);
    if (found) return found;
  }
  return undefined;
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return text.join('').replace(/^\./, '') || 'the file';
}
