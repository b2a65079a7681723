import type { Event } from '../../events/event.js';
import { unlessDamaged } from '../store/stored.js';
import { isRaw, rawOf } from './raw-request.js';

/** Whether the path, scheme or body of a request contains a text in lower case, in any case. False of an event. */
export function requestContains(event: Event | undefined, wanted: string): boolean {
  if (!event || !isRaw(event)) return false;
  const contains = (text: string): boolean => text.toLowerCase().includes(wanted);
  const found = unlessDamaged(() => {
    const request = rawOf(event);
    const { path, scheme } = request.head;
    return contains(path) || contains(scheme ?? '') || bodyContains(request.body, wanted);
  });
  return found ?? false;
}

/** Characters that are read at once, so that a body of 1 MiB takes no more memory. */
const partBytes = 65_536;
const ascii = /^[\0-\x7f]*$/;

function bodyContains(body: Buffer, wanted: string): boolean {
  if (!ascii.test(wanted)) return body.toString().toLowerCase().includes(wanted);
  // Bytes of other characters are above those of ASCII, which alone are compared.
  for (let start = 0; start < body.length; start += partBytes) {
    const part = body.toString(
      'latin1',
      start,
      Math.min(start + partBytes + wanted.length, body.length),
    );
    if (part.toLowerCase().includes(wanted)) return true;
  }
  return wanted === '';
}
