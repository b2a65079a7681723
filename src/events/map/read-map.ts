import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { UsageError } from '../../errors.js';
import type { EventMap } from './event-map.js';
import { checkMap, type MapProblem } from './schema.js';

/**
 * Reads the text of a map file, which is YAML or JSON.
 *
 * @param file For messages.
 * @param vendors The names that `from` may have.
 * @throws UsageError with file, line and path for a text that is no map.
 */
export function readMap(text: string, file: string, vendors: readonly string[]): EventMap {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
  });
  const place = (offset: number) => `${file}:${lines.linePos(offset).line || 1}:`;
  // A warning (an unknown !tag) means that the value differs from what the file shows.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem)
    throw new UsageError(`${place(problem.pos[0])} not valid YAML: ${explain(problem.code)}`);
  const map = checkMap(plainValue(document, file), vendors);
  if (!isProblem(map)) return map;
  const where = map.path.length === 0 ? 'the map' : map.path.map(String).join('.');
  throw new UsageError(`${place(offsetOf(document, map.path))} ${where} ${map.message}`);
}

const explanations: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'a value that begins with * needs quotes, like "*"',
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed',
  BAD_SCALAR_START: 'a value that begins with @ or ` needs quotes',
  DUPLICATE_KEY: 'the name is there twice; keep one',
  MISSING_CHAR: 'a quote, comma or bracket is missing',
  MULTIPLE_DOCS: 'a second document (---) starts; use one document per file',
  TAB_AS_INDENT: 'tabs cannot be used for indentation; use spaces',
};

function explain(code: string): string {
  return explanations[code] ?? code.toLowerCase().replaceAll('_', ' ');
}

function plainValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (cause) {
    const message = `${file}: its aliases cannot be expanded (a value that begins with * needs quotes, like "*")`;
    throw new UsageError(message, 'usage', { cause });
  }
}

function isProblem(result: EventMap | MapProblem): result is MapProblem {
  return 'message' in result;
}

/** Of the deepest part of a path that is in the file. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === key);
      if (!pair) break;
      offset = (isScalar(pair.key) && pair.key.range?.[0]) || offset;
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number') {
      node = node.items[key];
      offset = (isScalar(node) && node.range?.[0]) || offset;
    } else break;
  }
  return offset;
}
