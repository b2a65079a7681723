import type { ClientRequest } from 'node:http';
import { systemClock } from '../clock.js';
import type { ProbeRequest } from './exchange.js';

/** How long the second half of a `slow` body comes after the first. */
export const slowMs = 2_000;
/** How long a client waits for `100 Continue` before it sends the body, as libcurl does. */
const continueMs = 1_000;
/** How long a server has to say something about a body that was `cut`. */
const cutMs = 500;

/** The code of the error when nothing came after a body that was `cut`, which is fine. */
export const cutCode = 'EVFWD_CUT';

/** How long the client itself delays a body at most: an endpoint cannot answer before. */
export function ownDelayMs({ transfer = 'plain' }: ProbeRequest): number {
  return { plain: 0, chunked: 0, slow: slowMs, cut: cutMs, continue: continueMs }[transfer];
}

/** Sends the body of a request in the way that it asks for. */
export function transferBody(request: ClientRequest, { body, transfer }: ProbeRequest): void {
  switch (transfer) {
    case 'slow':
      inHalves(request, body, slowMs, () => request.end(second(body)));
      return;
    case 'cut':
      inHalves(request, body, cutMs, () => request.destroy(cut()));
      return;
    case 'continue':
      afterContinue(request, body);
      return;
    case 'chunked':
      request.write(first(body));
      request.end(second(body));
      return;
    default:
      request.end(body);
  }
}

function inHalves(request: ClientRequest, body: Buffer, delayMs: number, then: () => void): void {
  request.write(first(body));
  const cancel = systemClock.after(delayMs, then);
  request.once('close', cancel);
}

function afterContinue(request: ClientRequest, body: Buffer): void {
  let isSent = false;
  const send = (): void => {
    if (!isSent) request.end(body);
    isSent = true;
  };
  request.flushHeaders();
  request.once('continue', send);
  const cancel = systemClock.after(continueMs, send);
  request.once('close', cancel);
}

const first = (body: Buffer): Buffer => body.subarray(0, body.length >> 1);
const second = (body: Buffer): Buffer => body.subarray(body.length >> 1);

function cut(): Error {
  return Object.assign(new Error('the check closed the connection'), { code: cutCode });
}
