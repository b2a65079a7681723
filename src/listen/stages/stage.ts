import type { ServerResponse } from 'node:http';
import type { Forwarded } from '../../api/listen.js';
import type { Notes } from '../notes.js';
import type { PlannedResponse } from '../planned-response.js';
import type { IncomingRequest } from '../../receive/incoming-request.js';
import type { CheckedSignature } from '../../receive/checked-signature.js';

/** A request that was read, and whose signature was checked, on its way to an answer. */
export interface Exchange {
  readonly incoming: IncomingRequest;
  readonly notes: Notes;
  readonly checked: CheckedSignature;
  /** Where an app's response is streamed to. */
  readonly response: ServerResponse;
}

/** How a request is answered. */
export interface Answer {
  readonly response: PlannedResponse;
  /** The fault that fired, as it was written; null for none. */
  readonly fault: string | null;
  readonly forwarded: Forwarded | null;
  readonly isDuplicate: boolean;
  /** Of a batch that is no repeat: the positions of the events that came before. */
  readonly duplicateEvents: readonly number[];
  /** Whether it has been sent already, as it came. */
  readonly isSent: boolean;
}

/** At once where it can be: a promise for each request would cost a good part of what a request costs. */
export type AnswerSoon = Answer | Promise<Answer>;

/** Answers a request, or leaves that to the stages after it. */
export type Stage = (exchange: Exchange, next: () => AnswerSoon) => AnswerSoon;

/** An answer that is still to be sent. */
export function answerWith(response: PlannedResponse): Answer {
  const isDuplicate = false;
  return {
    response,
    fault: null,
    forwarded: null,
    isDuplicate,
    duplicateEvents: [],
    isSent: false,
  };
}
