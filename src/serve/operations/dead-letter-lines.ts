import type { DeadLettersQuery } from '../../api/serve.js';
import { captureOfRaw } from '../raw/capture.js';
import { isRaw, rawOf } from '../raw/raw-request.js';
import { shownId } from '../raw/repeat-id.js';
import type { DeadLetter } from '../store/records.js';
import type { ServiceStore } from '../store/service-store.js';
import { unlessDamaged } from '../store/stored.js';
import { timeOf } from './api-records.js';

/** Each may have a megabyte. */
const readAtOnce = 16;

/**
 * All dead letters as lines, the newest first: those of events have `event`, which `import` reads, those of requests
 * `request`, the capture, which `replay` sends.
 */
export async function* deadLetterLines(
  { views }: Pick<ServiceStore, 'views'>,
  { source, destination }: DeadLettersQuery,
): AsyncGenerator<Buffer> {
  for (let before: number | undefined; ;) {
    const found = await views.deadLetters({ of: destination, before, limit: readAtOnce });
    for (const letter of found) {
      if (source === undefined || letter.source === source) yield lineOf(letter);
    }
    if (found.length < readAtOnce) return;
    before = found.at(-1)!.id;
  }
}

function lineOf(letter: DeadLetter): Buffer {
  const { code, message, source, destination, attempts, status, response, at } = letter;
  const messageId = shownId(letter.messageId);
  const description = JSON.stringify({
    ...{ type: 'dead-letter', reason: 'failed', code, message, source, destination, attempts },
    lastStatus: status,
    response: response ?? undefined,
    ...{ at: timeOf(at), receivedAt: timeOf(letter.receivedAt), messageId },
  });
  const content = contentOf(letter);
  return Buffer.concat([Buffer.from(`${description.slice(0, -1)},`), ...content, closing]);
}

const closing = Buffer.from('}\n');

function contentOf(letter: DeadLetter): Buffer[] {
  const { event, bytes } = letter;
  if (!event) return [Buffer.from(`"rawBase64":"${bytes.toString('base64')}"`)];
  if (!isRaw(event)) return [Buffer.from('"event":'), onOneLine(bytes)];
  const capture = unlessDamaged(() => captureOfRaw(rawOf(event), letter));
  return [Buffer.from(`"request":${JSON.stringify(capture)}`)];
}

/** In JSON text, a line feed can only be between tokens, where a space means the same. */
function onOneLine(bytes: Buffer): Buffer {
  if (!bytes.includes(0x0a)) return bytes;
  return Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)));
}
