import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { systemClock } from '../../clock.js';
import { hostOf, portOf } from '../../http/url.js';
import { explainError, type ExplainedError } from '../client-error.js';
import type { CheckSettings } from '../settings.js';
import type { AddressFacts } from './facts.js';

/** After that an address counts as one that does not connect. */
export const connectMs = 10_000;

/**
 * Opens a connection to each address of the host.
 * @throws the error of the lookup
 */
export async function connectToAll(
  settings: CheckSettings,
  signal?: AbortSignal,
): Promise<readonly AddressFacts[]> {
  const found = await lookup(hostOf(settings.url), { all: true });
  return Promise.all(found.map(({ address }) => connectTo(address, settings, signal)));
}

async function connectTo(
  address: string,
  settings: CheckSettings,
  signal?: AbortSignal,
): Promise<AddressFacts> {
  const startedAt = systemClock.monotonic();
  const socket = connect({ host: address, port: portOf(settings.url) });
  const failure = await opened(socket, 'connect', settings, signal);
  socket.destroy();
  return {
    address,
    family: isIP(address) === 6 ? 6 : 4,
    durationMs: systemClock.monotonic() - startedAt,
    ...(failure && { error: failure.text, errorCode: failure.code }),
  };
}

/** Resolves when the socket is open, with the reason if it cannot be. The caller destroys it. */
export function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  settings: CheckSettings,
  signal?: AbortSignal,
): Promise<ExplainedError | undefined> {
  return new Promise((resolve) => {
    const abort = (): void => fail({ code: 'ABORT_ERR' });
    const fail = (error: unknown): void => {
      done();
      resolve(explainError(error, connectMs, settings));
    };
    const cancel = systemClock.after(connectMs, () => fail({ code: 'ETIMEDOUT' }));
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', abort);
    };
    if (signal?.aborted) setImmediate(abort);
    else signal?.addEventListener('abort', abort);
    // It stays: a connection can fail after it was opened as well.
    socket.on('error', fail);
    socket.once('close', () => fail({ code: 'ECONNRESET' }));
    socket.once(event, () => {
      done();
      resolve(undefined);
    });
  });
}
