import type { SearchResult } from '../api/listen.js';
import { inflated } from '../web/inflate.js';
import type { ReceivedRequest } from './received-request.js';
import type { RequestStore } from './request-store.js';

/** The receiver goes on to receive after each slice of a search. */
const sliceMs = 4;

/** A gzip body that inflates to more is searched as it is: inflating it would take too long. */
const maxSearchedBytes = 1024 * 1024;

/**
 * Searches the kept requests, one search after the other, a few milliseconds at a time: so no number of
 * searches can keep the receiver from its requests.
 */
export class Searches {
  readonly #kept: RequestStore;
  #last: Promise<unknown> = Promise.resolve();

  constructor(kept: RequestStore) {
    this.#kept = kept;
  }

  /**
   * Finds the requests whose path, headers, body or event hold a text, in any case.
   *
   * @param after only requests after this sequence number
   * @param signal ends the search with what was found so far
   */
  find(text: string, after: number, signal: AbortSignal): Promise<SearchResult> {
    const found = this.#last.then(() => this.#find(text, after, signal));
    this.#last = found;
    return found;
  }

  async #find(text: string, after: number, signal: AbortSignal): Promise<SearchResult> {
    const requests = this.#kept.after(after, Infinity);
    const holds = holder(text);
    const sequences: number[] = [];
    let sliceEnd = performance.now() + sliceMs;
    for (const received of requests) {
      if (performance.now() > sliceEnd) {
        await new Promise(setImmediate);
        sliceEnd = performance.now() + sliceMs;
      }
      if (signal.aborted) break;
      if (holds(received)) sequences.push(received.sequence);
    }
    return { sequences, last: requests.at(-1)?.sequence ?? after };
  }
}

/** Whether a request holds the text. */
function holder(text: string): (received: ReceivedRequest) => boolean {
  const part = text.toLowerCase();
  // Much faster than decoding UTF-8, and the same for a text that is ASCII.
  const encoding = /^[\0-\x7f]*$/.test(part) ? 'latin1' : 'utf8';
  const has = (value: string): boolean => value.toLowerCase().includes(part);
  return ({ path, headers, body, summary }) =>
    has(`${path}\n${summary.type}\n${summary.name}\n${summary.user}\n${summary.messageId}`) ||
    has(bodyOf(body).toString(encoding)) ||
    has(headerText(headers));
}

function bodyOf(body: Buffer): Buffer {
  try {
    return inflated(body, maxSearchedBytes);
  } catch {
    return body;
  }
}

function headerText(headers: readonly string[]): string {
  let text = '';
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]!}: ${headers[i + 1]!}\n`;
  return text;
}
