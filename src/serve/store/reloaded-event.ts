import type { Event, EventType, Origin } from '../../events/event.js';
import type { KnownName } from '../../json/known-names.js';
import type { Member } from '../../json/members.js';
import { countGarbage } from './garbage.js';

/** The read buffer of its connection, which becomes garbage too if no response arrives. */
const readBytes = 8 * 1024;

/** An event whose text can be dropped from memory; it is loaded again when it is needed. */
export class ReloadedEvent implements Event {
  readonly type: EventType;
  readonly origin: Origin;
  readonly #load: () => Event;
  #event: Event | undefined;

  /** `load` returns the same event. */
  constructor(event: Event, load: () => Event) {
    this.type = event.type;
    this.origin = event.origin;
    this.#event = event;
    this.#load = load;
  }

  /** @throws what `load` throws, as all that needs the text does */
  get bytes(): Buffer {
    return this.#loaded.bytes;
  }

  get value(): Event['value'] {
    return this.#loaded.value;
  }

  get members(): readonly Member[] {
    return this.#loaded.members;
  }

  find(name: KnownName): Member | undefined {
    return this.#loaded.find(name);
  }

  release(): void {
    this.#event?.release();
  }

  /** Drops the text from memory; it and the body that was made of it are counted as garbage. */
  unload(): void {
    if (!this.#event) return;
    countGarbage(2 * this.#event.bytes.length + readBytes);
    this.#event = undefined;
  }

  get #loaded(): Event {
    return (this.#event ??= this.#load());
  }
}
