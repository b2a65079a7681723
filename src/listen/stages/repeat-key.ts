import { createHash } from 'node:crypto';
import type { Notes } from '../notes.js';
import { normalPath } from '../rules/normal-path.js';
import type { Exchange } from './stage.js';

/**
 * What a request and its repeats have in common: method, path, and the id of the webhook, else the
 * messageId of the event; without an id method, path with its query, and body. One event may be sent to
 * several paths, and a request to each of them is a first one. As a hash: ids may be long, and 100,000 are
 * kept.
 */
export function repeatKey({
  incoming,
  notes,
  judged,
}: Pick<Exchange, 'incoming' | 'notes' | 'judged'>) {
  const { method, path, body } = incoming;
  const sum = createHash('sha256');
  const id = judged.webhookId;
  const messageId = messageIdOf(notes);
  const place = `${method}\0${normalPath(path)}`;
  if (id !== null) sum.update(`id\0${place}\0${id}`);
  else if (messageId !== null) sum.update(`messageId\0${place}\0${messageId}`);
  else sum.update(`request\0${method}\0${path}\0`).update(body);
  return sum.digest('base64');
}

/** Longer ones are cut in notes, and no events have them. */
const longestId = 100;

function messageIdOf({ events, isBatch }: Notes): string | null {
  const id = isBatch ? null : (events[0]?.messageId ?? null);
  return id !== null && id.length <= longestId ? id : null;
}
