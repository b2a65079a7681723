import { notesOf, type Notes } from './notes.js';
import type { IncomingRequest } from './received-request.js';

/** The notes of a request, which may take several times the memory of its body. */
export class HeldNotes {
  readonly #incoming: Pick<IncomingRequest, 'body' | 'path'>;
  #notes: Notes | undefined;

  constructor(incoming: Pick<IncomingRequest, 'body' | 'path'>) {
    this.#incoming = incoming;
  }

  get value(): Notes {
    return (this.#notes ??= notesOf(this.#incoming.body, this.#incoming.path));
  }

  /** For a request that waits for its answer: many notes are made again when they are needed. */
  release(): void {
    if (this.#notes && this.#notes.events.length > 100) this.#notes = undefined;
  }
}
