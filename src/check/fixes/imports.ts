import type { Language } from './frameworks.js';

/** A program, or a part of one, and what it imports. */
export interface Source {
  /** Lines, as they are written in the language. */
  readonly imports: readonly string[];
  /** The rest, with a line `importsHere` where the imports stood; without one they stood nowhere. */
  readonly code: string;
}

export const importsHere = '\0imports';

/** Takes the imports out of a file. */
export function withoutImports(language: Language, file: string): Source {
  if (language === 'go') return withoutGoImports(file);
  const lines = file.split('\n');
  const imports = lines.filter((line) => importLine[language].test(line));
  const first = lines.findIndex((line) => importLine[language].test(line));
  const code = lines
    .map((line, index) => (index === first ? importsHere : line))
    .filter((line) => !importLine[language].test(line));
  return { imports, code: code.join('\n') };
}

const importLine: Readonly<Record<Exclude<Language, 'go'>, RegExp>> = {
  js: /^import /,
  python: /^(?:import|from) /,
  ruby: /^require /,
  php: /^use /,
};

function withoutGoImports(file: string): Source {
  const [block = '', inside = ''] = /^import \(\n([^]*?)\n\)$/m.exec(file) ?? [];
  return { imports: inside.split('\n'), code: file.replace(block, importsHere) };
}

/** The imports of several sources as one block of lines. */
export function importBlock(language: Language, imports: readonly string[]): string {
  const lines = [...new Set(joinedNames(imports))].sort(byGroup);
  return language === 'go' ? `import (\n${lines.join('\n')}\n)` : lines.join('\n');
}

/** `import { a } from 'm'` and `import { b } from 'm'` as one line; the same of Python. */
function joinedNames(lines: readonly string[]): string[] {
  const joined = new Map<string, Set<string>>();
  for (const line of lines) {
    const [before, names, after] = partsOf(line);
    const key = `${before}\0${after}`;
    joined.set(key, new Set([...(joined.get(key) ?? []), ...names.split(', ')]));
  }
  return [...joined].map(([key, names]) => {
    const [before, after] = key.split('\0') as [string, string];
    return before + [...names].sort().join(', ') + after;
  });
}

function partsOf(line: string): [before: string, names: string, after: string] {
  const named = /^(import \{ )(.*?)( \} from .*)$|^(from \S+ import )(.*)$/.exec(line);
  if (!named) return [line, '', ''];
  return [named[1] ?? named[4]!, named[2] ?? named[5]!, named[3] ?? ''];
}

/** In Python, `import` stands before `from`. */
function byGroup(one: string, other: string): number {
  const group = (line: string): number => (line.startsWith('from ') ? 1 : 0);
  return group(one) - group(other) || (one < other ? -1 : 1);
}
