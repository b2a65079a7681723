import { UsageError } from '../errors.js';
import type { Input } from './body.js';

/** A body of a scheme that signs more than the body is held in memory. */
const maxHeldBytes = 256 * 1024 * 1024;

/**
 * Reads a whole body.
 *
 * @throws UsageError for a body above 256 MiB
 */
export async function heldBody({ chunks, name }: Input): Promise<Buffer> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxHeldBytes) {
      throw new UsageError(
        `${name} is larger than 256 MiB; only x-signature signs larger bodies`,
        'body_too_large',
      );
    }
    held.push(chunk);
  }
  return Buffer.concat(held);
}
