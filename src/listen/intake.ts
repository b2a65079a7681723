import type { IncomingMessage } from 'node:http';
import { BodyReader, type BodyEnd } from '../web/body-reader.js';
import { Turns } from '../web/turns.js';
import { bytesPerTurn, maxBodyBytes, maxHandBytes, roomPatienceMs } from './limits.js';
import type { IncomingRequest } from './received-request.js';
import { Room, type Place } from './room.js';

/** What becomes of a request; one of these is called, once. */
export interface Taker {
  /** Its place is kept until the request is recorded. */
  readonly received: (incoming: IncomingRequest, place: Place) => void;
  /** There was no room for it, or its upload took too long while others waited. */
  readonly refused: () => void;
  /** Its sender left; of a request that was never read nothing is said. */
  readonly aborted: (bytes: number) => void;
}

/** Reads requests, as many at a time as there is room for. */
export class Intake {
  readonly #room: Room;
  readonly #bodies = new BodyReader({ bodyBytes: maxBodyBytes, turns: new Turns(bytesPerTurn) });

  constructor(room = new Room({ bytes: maxHandBytes, patienceMs: roomPatienceMs })) {
    this.#room = room;
  }

  /** A request is not read before there is room for it. */
  read(request: IncomingMessage, taker: Taker): void {
    const begun = { receivedAt: Date.now(), startedAt: performance.now() };
    const onClose = (): void => place.leave();
    let { refused } = taker;
    const place = this.#room.take({
      bytes: neededBytes(request),
      enter: (given) => {
        request.off('close', onClose);
        refused = this.#readBody(request, taker, { ...begun, place: given });
      },
      refuse: () => refused(),
    });
    if (place.isWaiting) request.once('close', onClose);
  }

  /** Returns what refuses it while it is being read. */
  #readBody(
    request: IncomingMessage,
    { received, refused, aborted }: Taker,
    { receivedAt, place, ...begun }: { receivedAt: number; startedAt: number; place: Place },
  ): () => void {
    let { startedAt } = begun;
    const ended = (end: BodyEnd): void => {
      if (end.problem === 'aborted' || end.problem === 'busy') {
        place.leave();
        if (end.problem === 'busy') refused();
        else aborted(end.bytes);
        return;
      }
      const isTooLarge = end.problem !== undefined;
      const body = isTooLarge ? Buffer.alloc(0) : end.body;
      const bytes = isTooLarge ? end.bytes : body.length;
      place.settle(body.length + textBytes(request));
      const { rawHeaders: headers } = request;
      const [method, path] = [request.method!, request.url!];
      const sized = { headers, body, bytes, isTooLarge };
      received({ receivedAt, startedAt, method, path, ...sized }, place);
    };
    return this.#bodies.read(request, ended, () => (startedAt = performance.now()));
  }
}

/** A body without a length may be of any; one that is too large is not kept. */
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
