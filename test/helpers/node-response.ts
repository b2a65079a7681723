import { Agent, request, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A client's reading of the bytes that it received on one connection after its request. */
export interface Reading {
  /** The final status; undefined when there was none. */
  readonly status: number | undefined;
  /** Whether the connection can take another request. */
  readonly isReusable: boolean;
}

/** A connection whose other side says what a test wants. */
class Wire extends Duplex {
  override _read(): void {
    // Bytes are pushed when the test has them.
  }

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** Sends a request by `node:http`, gives it these pieces as the response, then ends the connection. */
export async function readByNode(pieces: readonly Buffer[]): Promise<Reading> {
  const wire = new Wire();
  let status: number | undefined;
  let isReusable = false;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => wire;
  const asked = request({ agent, host: 'localhost', method: 'POST' });
  const responded = (response: IncomingMessage): void => {
    status ??= response.statusCode;
    response.on('error', () => undefined).resume();
  };
  asked.on('response', responded);
  asked.on('upgrade', responded);
  asked.on('error', () => undefined);
  asked.end('{}');
  await nextTurn();
  wire.on('error', () => undefined).on('free', () => (isReusable = true));
  for (const piece of pieces) {
    if (!wire.destroyed) wire.push(piece);
    // Bytes on an idle connection belong to no request.
    if (isReusable) isReusable = piece === pieces.at(-1);
    await nextTurn();
  }
  isReusable = isReusable && !wire.destroyed;
  if (!wire.destroyed) wire.push(null);
  await nextTurn();
  agent.destroy();
  wire.destroy();
  return { status, isReusable };
}
