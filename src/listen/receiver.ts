import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { captureLine } from './capture.js';
import { CompletedRequest } from './completed.js';
import { CallbackBatch } from './callback-batch.js';
import type { Journal } from './journal.js';
import { maxBodyBytes } from './limits.js';
import { HeldNotes } from './held-notes.js';
import { Intake } from './intake.js';
import { busy } from './planned-response.js';
import type { IncomingRequest } from '../receive/incoming-request.js';
import type { Recorder } from './recorder.js';
import type { Reservation, MemoryLimiter } from './memory-limiter.js';
import { pathWithoutQuery } from '../receive/rules/path-pattern.js';
import { cannotListen } from '../web/cannot-listen.js';
import { endWith, pendingResponse } from '../web/last-response.js';
import { refuseMalformed } from '../web/refuse-malformed.js';
import { sendResponse } from './send-response.js';
import { answer } from './stages/index.js';
import type { Answer, Exchange, Stage } from './stages/stage.js';
import type { Verification } from '../receive/verification.js';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ReceiverOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Begins the id of each request. */
  readonly run: string;
  readonly verification: Verification;
  /** What answers requests, in this order. */
  readonly stages: readonly Stage[];
  /** Ends what the stages have begun. */
  readonly closeStages?: () => Promise<void> | undefined;
  readonly journal: Journal;
  readonly recorder: Recorder | undefined;
  /** Default: one of its own. */
  readonly memory?: MemoryLimiter | undefined;
  /** Handles requests below `/_evfwd/`, which have no faults and are not recorded. */
  readonly inspector: Handler;
  /** Called for requests that were aborted or are not HTTP, with one line without a query. */
  readonly onNote?: (text: string) => void;
  /** Time limits for the headers of a request and for the whole request. */
  readonly timeouts?: { readonly headerMs: number; readonly requestMs: number };
}

/** After this time a slow sender gets a 408 response. */
const defaultTimeouts = { headerMs: 20_000, requestMs: 60_000 };

/** Above the pauses of common clients (10 s), so that they do not post into a closing connection. */
const keepAliveMs = 75_000;

/** How long responses in flight may take when the receiver is closed. */
const graceMs = 1_000;

/** The HTTP server: every request is read, checked, recorded, reported, and then responded to. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #server: Server;
  readonly #finished = new CallbackBatch();
  readonly #intake: Intake;
  /**
   * How many responses are to come. Not a set of them: the tables that a set leaves behind as it changes
   * keep what they held until the next full collection, and collecting takes three times as long.
   */
  #pending = 0;
  readonly #pendingResponses = new Set<Promise<void>>();
  #sequence = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#intake = new Intake(options.memory);
    this.#server = this.#makeServer();
  }

  /** Resolves to the port. @throws UsageError if host and port cannot be listened on */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(cannotListen(error, host, port)));
      this.#server.listen({ host, port }, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Accepts no new requests; responses in flight may finish, for at most a second. */
  async close(): Promise<void> {
    const { recorder } = this.#options;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#finished.flush();
    recorder?.flush();
    await this.#idle();
    this.#server.closeAllConnections();
    await Promise.all([closed, this.#options.closeStages?.()]);
    await Promise.all(this.#pendingResponses);
    this.#finished.flush();
    recorder?.close();
  }

  #makeServer(): Server {
    const { headerMs, requestMs } = this.#options.timeouts ?? defaultTimeouts;
    const server = createServer({
      keepAliveTimeout: keepAliveMs,
      headersTimeout: headerMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(1_000, headerMs, requestMs),
      requireHostHeader: false,
    });
    // Node would leave out those beyond 1,000; their size is limited.
    server.maxHeadersCount = 0;
    const route: Handler = (request, response) => this.#route(request, response);
    server.on('request', route);
    server.on('checkExpectation', route);
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      // A client that asks before sending a too large body is refused before it sends.
      if (!(Number(request.headers['content-length']) > maxBodyBytes)) response.writeContinue();
      route(request, response);
    });
    // Handled like any other request: no tunnel is opened.
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      socket.on('error', () => undefined);
      routeAlone(request, socket, route);
    });
    server.on(
      'clientError',
      refuseMalformed(({ status, reason }) =>
        this.#options.onNote?.(`refused a request: ${reason} (${status})`),
      ),
    );
    return server;
  }

  #route(request: IncomingMessage, response: ServerResponse): void {
    if (isInspector(request.url!)) this.#options.inspector(request, response);
    else {
      this.#intake.read(request, {
        received: (incoming, reservation) =>
          this.#receive(request, response, incoming, reservation),
        refused: () => this.#refuse(request, response),
        aborted: (bytes) => this.#note(request, `aborted after ${bytes} bytes of its body`),
      });
    }
  }

  /** What was sent of it is dropped, so that its sender sees the response. */
  #refuse(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    this.#note(request, 'refused with 503, since too much is being received or answered');
    this.#expectResponse(response);
    sendResponse(request, response, busy);
  }

  #note({ method, url }: IncomingMessage, what: string): void {
    this.#options.onNote?.(`${method} ${pathWithoutQuery(url!)}: ${what}; not recorded`);
  }

  #receive(
    request: IncomingMessage,
    response: ServerResponse,
    incoming: IncomingRequest,
    reservation: Reservation,
  ): void {
    const { verification, stages } = this.#options;
    this.#expectResponse(response);
    const notes = new HeldNotes(incoming);
    const checked = verification.check(incoming);
    const exchange = {
      ...{ incoming, checked, response, reservation },
      get notes() {
        return notes.value;
      },
    };
    this.#attempt(exchange, () => {
      const given = answer(exchange, stages);
      if (given instanceof Promise) {
        notes.release();
        this.#finishLater(request, exchange, given);
      } else this.#finish(request, exchange, given);
    });
  }

  #finishLater(request: IncomingMessage, exchange: Reserved, given: Promise<Answer>): void {
    const finished = given
      .then((one) => this.#finish(request, exchange, one))
      .catch((error: unknown) => this.#fail(exchange, error))
      .finally(() => this.#pendingResponses.delete(finished));
    this.#pendingResponses.add(finished);
  }

  /** A fault of the program costs one request, not the process. */
  #attempt(exchange: Reserved, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** The message of the error is not shown: it may hold what was received. */
  #fail({ incoming: { method, path }, response, reservation }: Reserved, error: unknown): void {
    reservation.release();
    const name = error instanceof Error ? error.name : typeof error;
    const where = `${method} ${pathWithoutQuery(path)}`;
    const isLate = response.headersSent || response.closed;
    const how = isLate ? 'connection ended' : 'answered with 500';
    this.#options.onNote?.(`${where}: internal error (${name}); ${how}, not recorded`);
    if (isLate) response.destroy();
    else response.writeHead(500).end();
  }

  /** Records and reports the request, and then responds, unless an app has. */
  #finish(request: IncomingMessage, exchange: Reserved, given: Answer): void {
    const { journal, recorder, run } = this.#options;
    const { response, notes, reservation } = exchange;
    const sequence = ++this.#sequence;
    const received = new CompletedRequest(exchange, given, { id: `${run}-${sequence}`, sequence });
    if (given.response.kind === 'hang') this.#ignoreHanging(response);
    const finish = (): void => {
      this.#attempt(exchange, () => {
        journal.add(received, notes);
        reservation.release();
        if (!given.isSent) sendResponse(request, response, given.response);
      });
    };
    if (recorder) recorder.add(captureLine(received), finish);
    else this.#finished.add(finish);
  }

  #expectResponse(response: ServerResponse): void {
    if (response.closed) return;
    this.#pending++;
    response.on('close', this.#forget);
  }

  readonly #forget = (): void => {
    this.#pending--;
    if (this.#pending === 0) this.#onIdle?.();
  };

  /** It is left open on purpose, so nobody waits for its end. */
  #ignoreHanging(response: ServerResponse): void {
    if (response.closed) return;
    response.off('close', this.#forget);
    this.#forget();
  }

  async #idle(): Promise<void> {
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** An exchange with its memory, which is released when it is recorded. */
interface Reserved extends Exchange {
  readonly reservation: Reservation;
}

function isInspector(path: string): boolean {
  return /^\/_evfwd(?:[/?]|$)/.test(path);
}

/** Node gives a CONNECT no response: one is made for it, after those to earlier requests of the connection. */
function routeAlone(request: IncomingMessage, socket: Socket, route: Handler): void {
  if (socket.destroyed) return;
  const pending = pendingResponse(socket);
  if (pending) {
    pending.once('close', () => routeAlone(request, socket, route));
    return;
  }
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    endWith(socket, '');
  });
  route(request, response);
}
