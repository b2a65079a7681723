import { createHash } from 'node:crypto';
import type { Notes } from '../notes.js';
import type { Exchange } from './stage.js';

/**
 * What a request and its repeats have in common: the id of the webhook, else the messageId of the event,
 * else method, path and body. As a hash: ids may be long, and 100,000 are kept.
 */
export function repeatKey({
  incoming,
  notes,
  judged,
}: Pick<Exchange, 'incoming' | 'notes' | 'judged'>) {
  const sum = createHash('sha256');
  const id = judged.webhookId;
  const messageId = messageIdOf(notes);
  if (id !== null) sum.update(`id\0${id}`);
  else if (messageId !== null) sum.update(`messageId\0${messageId}`);
  else sum.update(`request\0${incoming.method}\0${incoming.path}\0`).update(incoming.body);
  return sum.digest('base64');
}

/** Longer ones are cut in notes, and no events have them. */
const longestId = 100;

function messageIdOf({ events, isBatch }: Notes): string | null {
  const id = isBatch ? null : (events[0]?.messageId ?? null);
  return id !== null && id.length <= longestId ? id : null;
}
