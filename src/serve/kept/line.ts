import { ObjectEditor } from '../../json/object-editor.js';
import { captureOfRaw } from '../raw/capture.js';
import { isRaw, rawOf } from '../raw/raw-request.js';
import { unlessDamaged } from '../store/stored.js';
import type { KeptEvent } from './block.js';

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
