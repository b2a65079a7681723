import type { IncomingMessage } from 'node:http';
import { systemClock } from '../clock.js';
import type { ProbeResponse } from './exchange.js';

/** Senders read little of a response body, and not for long (docs/check.md, `answer.small`). */
export const maxBodyBytes = 16 * 1024;
export const maxBodyMs = 5_000;

/** Reads a body to its end, or until it is too large or takes too long. Never rejects. */
export function readBody(
  message: IncomingMessage,
): Promise<Pick<ProbeResponse, 'body' | 'bodyEnd'>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (bodyEnd: ProbeResponse['bodyEnd']): void => {
      cancel();
      resolve({ body: Buffer.concat(chunks), bodyEnd });
      if (bodyEnd !== 'complete') message.destroy();
    };
    const cancel = systemClock.after(maxBodyMs, () => end('endless'));
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBodyBytes) end('too-large');
    });
    message.once('end', () => end(message.complete ? 'complete' : 'broken'));
    message.on('error', () => end('broken'));
    message.once('close', () => end('broken'));
  });
}
