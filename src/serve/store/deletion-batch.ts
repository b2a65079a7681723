import type { Deletion, IngestBatch } from '../types.js';
import { eventOf } from './stored.js';

/** A deletion request as a batch of one event, which notifies destinations. It has only these three members. */
export function deletionBatch(
  { source, userId, timestamp, receivedAt }: Deletion,
  messageId: string,
): IngestBatch {
  const text = `{"type":"delete","userId":${userId},"timestamp":${JSON.stringify(timestamp)}}`;
  const event = eventOf(Buffer.from(text), source.name);
  const accepted = [{ event, stamp: { messageId, writesMessageId: true } }];
  return { source, receivedAt, accepted, rejected: [] };
}
