import { selector, type Selection } from '../../events/select.js';
import { ObjectEditor } from '../../json/object-editor.js';
import { captureOfRaw } from '../raw/capture.js';
import { RawFilters } from '../raw/filters.js';
import { isRaw, rawOf } from '../raw/raw-request.js';
import { unlessDamaged } from '../store/stored.js';
import type { KeptEvent } from './block.js';

/** Which kept events are meant. All must hold; an absent one always does. */
export interface KeptSelection extends Pick<Selection, 'types' | 'events' | 'users' | 'where'> {
  /** Of arrival: inclusive, milliseconds since 1970. */
  readonly since?: number;
  /** Of arrival: exclusive, milliseconds since 1970. */
  readonly until?: number;
  /** Names. */
  readonly sources?: readonly string[];
}

/**
 * One test for a whole selection. A request of a raw source has neither type, name nor user; `where` sees it as the
 * filters of its destinations do. @throws UsageError for a condition that cannot be read
 */
export function keptSelector(selection: KeptSelection): (event: KeptEvent) => boolean {
  const { since = -Infinity, until = Infinity, sources, types, events, users, where } = selection;
  const ofEvents = { types, events, users, where };
  const isSelected = selector(
    Object.fromEntries(Object.entries(ofEvents).filter(([, value]) => value !== undefined)),
  );
  const isForEvents = [types, events, users].some((one) => one !== undefined);
  const filters = where && RawFilters.of([{ where }]);
  const isRawSelected = (kept: KeptEvent): boolean =>
    !isForEvents && (!filters || filters.wantedBy(rawOf(kept.event)) > 0);
  return (kept) => {
    const { receivedAt, source, event } = kept;
    if (receivedAt < since || receivedAt >= until) return false;
    if (sources && !sources.includes(source)) return false;
    return isRaw(event) ? isRawSelected(kept) : isSelected(event);
  };
}

/**
 * The line of an event, with the messageId and the timestamp that it was sent with, which `import` reads; of a request
 * its capture, which `replay` reads. Undefined if it is damaged.
 */
export function keptLine(kept: KeptEvent): Buffer | undefined {
  return unlessDamaged(() => Buffer.concat([textOf(kept), newline]));
}

const newline = Buffer.from('\n');

function textOf({ event, stamp, receivedAt }: KeptEvent): Buffer {
  const { messageId, writesMessageId, timestamp } = stamp;
  if (isRaw(event))
    return Buffer.from(JSON.stringify(captureOfRaw(rawOf(event), { messageId, receivedAt })));
  if (!writesMessageId && timestamp === undefined) return onOneLine(event.bytes);
  const editor = new ObjectEditor(event);
  if (writesMessageId) editor.set('messageId', JSON.stringify(messageId));
  if (timestamp !== undefined) editor.set('timestamp', JSON.stringify(timestamp));
  return onOneLine(editor.text().toBuffer());
}

/** In JSON text, a line feed can only be between tokens, where a space means the same. */
function onOneLine(bytes: Buffer): Buffer {
  if (!bytes.includes(0x0a)) return bytes;
  return Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)));
}
