import type { IncomingMessage } from 'node:http';

/** Exactly one of these is called, once. */
export interface BodyEnd {
  /** `startedAt` is when its first byte came, of `performance.now()`. */
  whole(body: Buffer, startedAt: number): void;
  /** `bytes` is what the sender has announced, else what had come. */
  tooLarge(bytes: number, startedAt: number): void;
  /** The sender went away, or made a mistake, after so many bytes. */
  broken(bytes: number): void;
}

/** Reads the body of a request, which no transfer encoding and no pace of the sender can make longer than this. */
export function readBody(request: IncomingMessage, maxBytes: number, end: BodyEnd): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  let startedAt = performance.now();
  if (announced > maxBytes) {
    end.tooLarge(announced, startedAt);
    request.resume();
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  const onData = (chunk: Buffer): void => {
    if (bytes === 0) startedAt = performance.now();
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= maxBytes || isOver) return;
    isOver = true;
    request.off('data', onData);
    request.resume();
    end.tooLarge(bytes, startedAt);
  };
  request.on('data', onData);
  request.once('end', () => {
    if (isOver) return;
    isOver = true;
    end.whole(joined(chunks), startedAt);
  });
  request.once('close', () => {
    if (isOver) return;
    isOver = true;
    end.broken(bytes);
  });
  // What it says comes as `close`, too.
  request.on('error', () => undefined);
}

function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}
