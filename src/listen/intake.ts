import type { IncomingMessage } from 'node:http';
import { BodyReader, type BodyEnd } from '../web/body-reader.js';
import { TurnBudget } from '../web/turn-budget.js';
import { bytesPerTurn, maxBodyBytes, maxPendingBytes, uploadTimeoutMs } from './limits.js';
import type { IncomingRequest } from '../receive/incoming-request.js';
import { MemoryLimiter, type Reservation } from './memory-limiter.js';

/** Called with what became of a request: one of these, once. */
export interface IntakeHandlers {
  /** The body is complete, or too large. Release the reservation when the request is recorded. */
  readonly received: (incoming: IncomingRequest, reservation: Reservation) => void;
  /** There was no memory for it, or its upload took too long while others waited. */
  readonly refused: () => void;
  /** Its sender left while it was read. If it left before, none of these is called. */
  readonly aborted: (bytes: number) => void;
}

/** Reads requests, as many at a time as there is memory for. */
export class Intake {
  readonly #memory: MemoryLimiter;
  readonly #bodies = new BodyReader({
    bodyBytes: maxBodyBytes,
    turns: new TurnBudget(bytesPerTurn),
  });

  constructor(
    memory = new MemoryLimiter({ bytes: maxPendingBytes, uploadTimeoutMs: uploadTimeoutMs }),
  ) {
    this.#memory = memory;
  }

  /** Reads a request as soon as there is memory for it. */
  read(request: IncomingMessage, handlers: IntakeHandlers): void {
    const begun = { receivedAt: Date.now(), startedAt: performance.now() };
    const onClose = (): void => reservation.release();
    let { refused } = handlers;
    const reservation = this.#memory.reserve({
      bytes: neededBytes(request),
      grant: (given) => {
        request.off('close', onClose);
        refused = this.#readBody(request, handlers, { ...begun, reservation: given });
      },
      refuse: () => refused(),
    });
    if (reservation.isWaiting) request.once('close', onClose);
  }

  /** Returns a function that refuses the request while it is being read. */
  #readBody(
    request: IncomingMessage,
    { received, refused, aborted }: IntakeHandlers,
    {
      receivedAt,
      reservation,
      ...begun
    }: { receivedAt: number; startedAt: number; reservation: Reservation },
  ): () => void {
    let { startedAt } = begun;
    const ended = (end: BodyEnd): void => {
      if (end.problem === 'aborted' || end.problem === 'busy') {
        reservation.release();
        if (end.problem === 'busy') refused();
        else aborted(end.bytes);
        return;
      }
      const isTooLarge = end.problem !== undefined;
      const body = isTooLarge ? Buffer.alloc(0) : end.body;
      const bytes = isTooLarge ? end.bytes : body.length;
      reservation.settle(body.length + textBytes(request));
      const { rawHeaders: headers } = request;
      const [method, path] = [request.method!, request.url!];
      const sized = { headers, body, bytes, isTooLarge };
      received({ receivedAt, startedAt, method, path, ...sized }, reservation);
    };
    return this.#bodies.read(request, ended, () => (startedAt = performance.now()));
  }
}

/** A body without an announced length may have any up to the limit; one above the limit is not kept. */
function neededBytes(request: IncomingMessage): number {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  const announced = coding === undefined ? Number(length ?? 0) : maxBodyBytes;
  return textBytes(request) + (announced <= maxBodyBytes ? announced : 0);
}

function textBytes({ url, rawHeaders }: IncomingMessage): number {
  let bytes = url!.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
