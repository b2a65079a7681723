import type { EventInput } from './event-input.js';
import { builtHere, type Event, type Problem } from './event.js';
import { parseEvent } from './parse.js';

/** Makes an event of a caller's input; a text is kept byte for byte. */
export function eventFrom(input: EventInput): Event | Problem {
  if (isEvent(input)) return input;
  const bytes = bytesOf(input);
  const origin = builtHere('event', bytes?.length ?? 0);
  return bytes
    ? parseEvent(bytes, origin)
    : { ...notSerializable, origin, bytes: Buffer.alloc(0), isJson: false };
}

const notSerializable = {
  code: 'not_serializable',
  message: 'the event cannot be written as JSON (a BigInt, a circular reference, or too deep)',
};

function isEvent(input: EventInput): input is Event {
  return (
    typeof input === 'object' &&
    (input as unknown) !== null &&
    'members' in input &&
    'bytes' in input &&
    'origin' in input
  );
}

function bytesOf(input: Exclude<EventInput, Event>): Buffer | undefined {
  // Bytes are copied: their owner may use them again before the event is sent.
  if (typeof input === 'string' || input instanceof Uint8Array) return Buffer.from(input);
  try {
    return Buffer.from((JSON.stringify(input) as string | undefined) ?? '', 'utf8');
  } catch {
    return undefined;
  }
}
