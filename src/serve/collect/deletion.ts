import { isProblem } from '../../events/event.js';
import { findMember, valueText } from '../../json/members.js';
import { parseEvent } from '../../events/parse.js';
import { objectOf } from '../../json/composed-text.js';
import type { Deletion } from '../types.js';
import type { Document } from './document.js';
import { Refusal } from './refusal.js';

/**
 * Parses a deletion request.
 *
 * @param receivedAt Milliseconds since 1970; the default timestamp.
 * @throws Refusal when it is not valid
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

/** The request as the event that it becomes, so that it is validated like one. */
function noticeOf({ bytes, object }: Document): Buffer {
  const own = object.members.filter((member) => {
    const isGiven = valueText(bytes, member).toString('latin1') !== 'null';
    return isGiven && (member.name === 'userId' || member.name === 'timestamp');
  });
  const texts = own.map(({ nameStart, end }) => bytes.subarray(nameStart, end));
  return objectOf(['"type":"delete"', ...texts]).toBuffer();
}
