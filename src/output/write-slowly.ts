import type { Writable } from 'node:stream';

/**
 * Writes a text and waits for a slow reader. Resolves also when the reader is gone, as with `| head -1`;
 * then `stream.writable` is false.
 */
export async function writeSlowly(stream: Writable, text: string | Uint8Array): Promise<void> {
  if (stream.write(text) || !stream.writable) return;
  await new Promise<void>((resolve) => {
    const events = ['drain', 'error', 'close'];
    const go = (): void => {
      for (const event of events) stream.off(event, go);
      resolve();
    };
    for (const event of events) stream.on(event, go);
  });
}
