import { readFileSync } from 'node:fs';
import type { Framework } from './fixes/frameworks.js';

/** Both `src/check/` and `dist/cli/` lie two levels below the package's root. */
const folder = new URL('../../fixes/', import.meta.url);

/** The text of a file of `fixes/`. */
export function readFixFile(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

/** What is set beside the handler, in a few lines: the files of `fixes/snippets/`, a section for each framework. */
export type SnippetName =
  | 'redirect'
  | 'methods'
  | 'connection'
  | 'https'
  | 'https-only'
  | 'errors'
  | 'limit'
  | 'handshake-meta'
  | 'handshake-cloudevents';

/** @throws Error if the file has no code for this framework */
export function snippetCode(name: SnippetName, framework: Framework): string {
  const sections = readFixFile(`snippets/${name}.md`).split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${framework}\n`)) ?? '';
  const [, code] = /^```\w+\n([^]*?)\n```$/m.exec(section) ?? [];
  if (code === undefined) throw new Error(`fixes/snippets/${name}.md: no code for ${framework}`);
  return code;
}
