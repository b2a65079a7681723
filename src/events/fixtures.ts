import { readFile } from 'node:fs/promises';
import { nearest } from '../nearest.js';
import { quoted } from '../quoted.js';
import { UsageError } from '../errors.js';
import { eventTypes, type EventType } from './event.js';

/** The built-in events: one of each type. */
export const fixtureNames: readonly EventType[] = eventTypes;

/** Name of the sample history, which is many events (see `history.ts`). */
export const historyName = 'history';

/** Both `src/` and `dist/` lie one level below the package's root. */
const folder = new URL('../../fixtures/', import.meta.url);

/**
 * The text of a built-in event, on one line.
 *
 * @throws UsageError for an unknown name, with the nearest known one.
 */
export async function readFixture(name: string): Promise<Buffer> {
  if (name === historyName) {
    throw new UsageError(
      'the fixture "history" is many events, not one; send it with evfwd fixtures history | evfwd import -',
    );
  }
  if (!isFixture(name)) throw unknownFixture(name, fixtureNames);
  return Buffer.from(onOneLine(await readFile(new URL(`${name}.json`, folder), 'utf8')));
}

/** The error for a name that is none of `names`. */
export function unknownFixture(name: string, names: readonly string[]): UsageError {
  return new UsageError(
    `there is no fixture ${quoted(name, 'of this name')}; did you mean "${nearest(name, names)!}"? There are ${names.join(', ')}`,
  );
}

function isFixture(name: string): name is EventType {
  return (fixtureNames as readonly string[]).includes(name);
}

/** Drops the space between the tokens of a JSON text; strings and numbers stay as they are. */
function onOneLine(text: string): string {
  return text.replaceAll(
    /("(?:[^"\\]|\\.)*")|\s+/g,
    (_, string: string | undefined) => string ?? '',
  );
}
