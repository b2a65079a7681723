import type { Framework } from '../frameworks.js';

/** What stands beside the handler: a few lines for each framework. */
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

/** The code for each framework, without a newline at its end. */
export type Snippet = Readonly<Record<Framework, string>>;

/** A template literal as it is written, without its indentation and its first and last newline. */
export function code({ raw }: TemplateStringsArray): string {
  const lines = raw
    .join('')
    .replace(/^\n|\n *$/g, '')
    .split('\n');
  const indents = lines.filter((line) => line !== '').map((line) => /^ */.exec(line)![0].length);
  const indent = Math.min(...indents);
  return lines.map((line) => line.slice(indent)).join('\n');
}
