import type { Framework } from './frameworks.js';
import { handlerCode } from './handler.js';
import type { FixInput } from './input.js';
import { snippets } from './snippets/index.js';
import type { SnippetName } from './snippets/snippet.js';

/** The code of a fix, as it is shown and pasted: of a snippet, or else of a whole handler. */
export function fixCode(
  snippet: SnippetName | undefined,
  framework: Framework,
  input: FixInput,
): string {
  return snippet === undefined ? handlerCode(framework, input) : snippets[snippet][framework];
}
