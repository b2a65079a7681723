import { isProblem } from '../../events/event.js';
import { findMember, scanMembers } from '../../json/members.js';
import { parseEvent } from '../../events/parse.js';
import { TextBuilder } from '../../json/text-builder.js';
import type { Deletion } from '../types.js';
import type { Document } from './document.js';
import { Refusal } from './refusal.js';

const builder = new TextBuilder();

/**
 * What a deletion request asks for.
 *
 * @param receivedAt Milliseconds since 1970, for one without a timestamp.
 * @throws Refusal that says what is wrong with it
 */
export function deletionOf(
  document: Document,
  receivedAt: number,
): Pick<Deletion, 'userId' | 'timestamp'> {
  const notice = noticeOf(document);
  const item = parseEvent(notice, { file: 'request', line: 1, offset: 0, length: notice.length });
  if (isProblem(item)) throw new Refusal(400, item.code, item.message);
  const { bytes, members, value } = item;
  const userId = findMember(members, 'userId')!;
  return {
    userId: bytes.toString('utf8', userId.start, userId.end),
    timestamp: (value.timestamp as string | undefined) ?? new Date(receivedAt).toISOString(),
  };
}

/** The request as the event that it will become, so that the rules for events judge it. */
function noticeOf({ bytes }: Document): Buffer {
  builder.ascii('{"type":"delete"');
  for (const { name, nameStart, start, end } of scanMembers(bytes).members) {
    const isNull = bytes.toString('latin1', start, end) === 'null';
    if ((name === 'userId' || name === 'timestamp') && !isNull) {
      builder.ascii(',').span(bytes, nameStart, end);
    }
  }
  return builder.ascii('}').finish();
}
