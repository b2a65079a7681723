import type { Event } from './event.js';

/**
 * An event as a caller of the library passes it: one of `readEvents`; its JSON text, whose bytes are kept;
 * or an object, which is serialized as by `JSON.stringify`.
 */
export type EventInput = Event | string | Uint8Array | object;
