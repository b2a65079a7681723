import { notesOf, type Notes } from './notes.js';
import type { IncomingRequest } from '../receive/incoming-request.js';

/** The notes of a request, made when they are needed: they may take several times the memory of its body. */
export class HeldNotes {
  readonly #incoming: Pick<IncomingRequest, 'body' | 'path'>;
  #notes: Notes | undefined;

  constructor(incoming: Pick<IncomingRequest, 'body' | 'path'>) {
    this.#incoming = incoming;
  }

  get value(): Notes {
    return (this.#notes ??= notesOf(this.#incoming.body, this.#incoming.path));
  }

  /** For a request that waits for its answer: frees the notes if they are many. They are made again when needed. */
  release(): void {
    if (this.#notes && this.#notes.events.length > 100) this.#notes = undefined;
  }
}
