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
} from 'yaml';
import { UsageError } from '../errors.js';
import { hideReferences, type HiddenReferences, type Where } from './environment.js';

/** A YAML or JSON file as a plain value; each `${NAME}` is still there as text. */
export interface ConfigDocument {
  readonly value: unknown;
  /** `file:line: key.path` of the deepest part of `path` that the file has. */
  readonly where: Where;
}

/**
 * Parses the text of a configuration file. JSON is YAML, so one parser reads both.
 *
 * @throws UsageError with file and line for text that is not YAML; it never quotes the text, for
 * what does not parse may well be a secret.
 */
export function parseConfig(text: string, file: string): ConfigDocument {
  const hidden = hideReferences(text);
  const lines = new LineCounter();
  const document = parseDocument(hidden.text, {
    lineCounter: lines,
    logLevel: 'error',
    merge: true,
    prettyErrors: false,
  });
  const lineAt = (offset: number) => lines.linePos(offset).line || 1;
  // A warning (an unknown !tag) means that the value is not what its author sees.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw notYaml(file, lineAt(problem.pos[0]), problem.code);
  const stray = restoreReferences(document, hidden);
  if (stray) throw notYaml(file, lineAt(stray.range?.[0] ?? 0), 'BAD_ALIAS');
  return {
    value: plainValue(document, file),
    where: (path) => `${file}:${lineAt(offsetOf(document, path))}: ${pathText(path)}`,
  };
}

const explanations: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'a value that begins with * needs quotes',
  BAD_DQ_ESCAPE: 'a backslash in double quotes must be doubled; in single quotes it may stand',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed',
  BAD_SCALAR_START: 'a value that begins with @ or ` needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a value that holds ": " needs quotes',
  DUPLICATE_KEY: 'the key stands twice',
  MISSING_CHAR: 'a quote, comma or bracket is missing',
  MULTIPLE_DOCS: 'a second document (---) begins; one file is one document',
  TAB_AS_INDENT: 'tabs cannot indent; use spaces',
  TAG_RESOLVE_FAILED: 'a value that begins with ! needs quotes',
};

function notYaml(file: string, line: number, code: string): UsageError {
  const explanation = explanations[code] ?? code.toLowerCase().replaceAll('_', ' ');
  return new UsageError(`${file}:${line}: not valid YAML: ${explanation}`);
}

/** Gives strings and keys their `${NAME}` back; returns an alias that has no anchor, if any. */
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
    // The parser counts what aliases unfold to, so that a small file cannot fill the memory.
    throw new UsageError(`${file}: its aliases cannot be unfolded; write the values out`, 'usage', {
      cause,
    });
  }
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    const next = childOf(node, key);
    if (!next) break;
    ({ node, offset } = next);
  }
  return offset;
}

function childOf(node: unknown, key: PropertyKey): { node: unknown; offset: number } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(
      (item) => isScalar(item.key) && String(item.key.value) === String(key),
    );
    if (!pair || !isScalar(pair.key)) return undefined;
    return { node: pair.value, offset: pair.key.range?.[0] ?? 0 };
  }
  if (!isSeq(node) || typeof key !== 'number') return undefined;
  const item = node.items[key];
  return isScalar(item) || isMap(item) || isSeq(item) || isAlias(item)
    ? { node: item, offset: item.range?.[0] ?? 0 }
    : undefined;
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return text.join('').replace(/^\./, '') || 'the file';
}
