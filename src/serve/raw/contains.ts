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
    return contains(path) || contains(scheme ?? '') || contains(request.body.toString());
  });
  return found ?? false;
}
