import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../errors.js';
import { parseRespondRule, type RespondRule } from '../../receive/rules/respond-rule.js';
import { printable } from '../../output/printable.js';
import { whyUnreadable } from '../../sign/unreadable.js';

/**
 * The rules of `--respond`, with the files that they name.
 *
 * @throws UsageError for a rule that is wrong, and for a file that cannot be read
 */
export function openResponses(texts: readonly string[] = [], cwd: string): RespondRule[] {
  return texts.map((text) => parseRespondRule(text, (path) => read(path, cwd)));
}

function read(path: string, cwd: string): Buffer {
  try {
    return readFileSync(resolve(cwd, path));
  } catch (error) {
    const message = `--respond: body=@${printable(path)} cannot be read: ${whyUnreadable(error)}; use the path of a readable file`;
    throw new UsageError(message, 'unreadable_file', { cause: error });
  }
}
