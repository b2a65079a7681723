import { createHash } from 'node:crypto';
import type { Event, Origin, Problem } from '../events/event.js';
import { parseEvent } from '../events/parse.js';
import type { Violation } from '../events/rules.js';
import { ComposedText } from '../json/composed-text.js';
import type { AudienceKind, Row } from './row.js';

/** What a messageId is derived from, besides the change itself. */
export interface AudienceName {
  readonly kind: AudienceKind;
  readonly property: string;
  /** Empty, unless the state was discarded with --fresh. */
  readonly seed: string;
}

/** One user's new value. */
export interface Change extends Pick<Row, 'user' | 'id' | 'value'> {
  /** How many changes this user has had, including this one. */
  readonly number: number;
}

/**
 * The messageId of a change: always the same for the same change, and a different one when the same user
 * changes to the same value again.
 */
export function messageIdOf({ kind, property, seed }: AudienceName, change: Change): string {
  const hash = createHash('sha256');
  hash.update(`audience\0${seed}\0${kind}\0${property}\0${change.number}\0`);
  hash.update(change.user).update('\0').update(change.value);
  return `evfwd-${hash.digest('hex').slice(0, 32)}`;
}

/** The identify event of a change. It includes id and timestamp, so that a retry sends the same bytes. */
export function identify(
  name: AudienceName,
  change: Change,
  timestamp: string,
  position: { readonly file: string; readonly line: number },
): Event | Problem {
  const messageId = messageIdOf(name, change);
  const bytes = identifyText(name.property, change, { messageId, timestamp });
  return parseEvent(bytes, { ...position, offset: position.line, length: bytes.length });
}

/** Below this length, an event can be neither too large nor too deep. */
const surelyFits = 256;
const anyStamp = { messageId: `evfwd-${'0'.repeat(32)}`, timestamp: new Date(0).toISOString() };
const nowhere: Origin = { file: '', line: 1, offset: 0, length: 0 };

/** Why the event of a row cannot be sent; undefined if it can. */
export function checkRow(property: string, row: Pick<Row, 'id' | 'value'>): Violation | undefined {
  if (row.id.length + row.value.length + property.length * 3 < surelyFits) return undefined;
  const item = parseEvent(identifyText(property, row, anyStamp), nowhere);
  return 'code' in item ? { code: item.code, message: item.message } : undefined;
}

function identifyText(
  property: string,
  { id, value }: Pick<Row, 'id' | 'value'>,
  { messageId, timestamp }: { messageId: string; timestamp: string },
): Buffer {
  return new ComposedText()
    .add(`{"type":"identify","messageId":"${messageId}","timestamp":"${timestamp}","userId":`)
    .add(id)
    .add(`,"traits":{${JSON.stringify(property)}:`)
    .add(value)
    .add('}}')
    .toBuffer();
}
