import { captureOf } from './capture.js';
import { inflated } from '../receive/inflate.js';
import { notesOf } from './notes.js';
import type { ReceivedRequest } from './received-request.js';
import type { ReceivedCapture } from './webhook-receiver.js';

/** The capture of a request for a test, which finds the events in its body when it is asked for them. */
export function receivedCaptureOf(received: ReceivedRequest): ReceivedCapture {
  let events: ReceivedCapture['events'] | undefined;
  const get = (): ReceivedCapture['events'] => (events ??= eventsIn(received));
  // Not enumerable: the JSON of a capture is a line of a recording.
  return Object.defineProperty(captureOf(received), 'events', { get }) as ReceivedCapture;
}

type Value = Readonly<Record<string, unknown>>;

function eventsIn({ body, path }: ReceivedRequest): Value[] {
  const { events, isBatch } = notesOf(body, path);
  if (events.length === 0) return [];
  const value = JSON.parse(inflated(body)!.toString('utf8')) as Value | Value[];
  if (!isBatch) return [value as Value];
  const batch = Array.isArray(value) ? value : (value.batch as Value[]);
  return events.map(({ index }) => batch[index!]!);
}
