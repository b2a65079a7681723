import { UsageError } from '../errors.js';
import { readFixture } from '../fixtures/fixtures.js';
import { objectText, readObject, type ReadText } from '../json/source.js';
import { emptyObject, setIn } from '../json/set-in.js';
import { beginningOnly } from './rules.js';
import { scanMembers } from '../json/members.js';
import { isAliasBody, openWrapper, renameAlias } from './wrapper.js';

/** The flags that specify a whole event. */
export interface BaseFlags {
  /** JSON text, `@file` or `-`: an event, a dead-letter line or a capture line. */
  data?: string;
  /** Name of a built-in event. */
  fixture?: string;
}

/** The text of the event that the other flags change; an empty object without one. */
export async function baseText(flags: BaseFlags, readText: ReadText): Promise<Buffer> {
  const { data, fixture } = flags;
  if (data !== undefined && fixture !== undefined) {
    throw new UsageError('--data and --fixture both specify a whole event; use one of them');
  }
  if (data !== undefined) return opened(await readObject('--data', data, readText));
  return fixture === undefined ? emptyObject : readFixture(fixture);
}

/** The event inside a dead-letter or capture line; any other object is the event itself. */
function opened(text: Buffer): Buffer {
  const value = parsed(text);
  const wrapped = openWrapper(text, value);
  if (!wrapped) return text;
  if (wrapped.isCut) throw new UsageError(`--data: ${beginningOnly.message}`);
  if (wrapped.isCapture) return withOwnNames(bodyObject(wrapped.bytes));
  const event = objectText('the event inside --data', wrapped.bytes);
  return wrapped.givenId === undefined ? event : withId(event, wrapped.givenId);
}

function bodyObject(body: Buffer): Buffer {
  try {
    return objectText('the body', body);
  } catch (cause) {
    throw new UsageError(
      'the body of the request inside --data is not a JSON object; send the request as it was with evfwd replay',
      'usage',
      { cause },
    );
  }
}

function withOwnNames(body: Buffer): Buffer {
  if (!isAliasBody(parsed(body))) return body;
  return renameAlias(body, scanMembers(body).members);
}

/** An event that is sent again keeps the id of its first attempt, even if its text has another one. */
function withId(event: Buffer, givenId: string): Buffer {
  return setIn(event, ['messageId'], Buffer.from(JSON.stringify(givenId)));
}

function parsed(text: Buffer): Readonly<Record<string, unknown>> {
  return JSON.parse(text.toString()) as Readonly<Record<string, unknown>>;
}
