export interface BatchWriter {
  /** Writes what is pending; called once per `writeInBatch`. */
  write(): void;
}

let writers: BatchWriter[] = [];

/**
 * Calls `write` in a microtask, together with all other writers registered meanwhile. Writing requests
 * in batches avoids one wake-up of the receiver per request.
 */
export function writeInBatch(writer: BatchWriter): void {
  if (writers.push(writer) === 1) queueMicrotask(writeAll);
}

function writeAll(): void {
  const all = writers;
  writers = [];
  for (const writer of all) writer.write();
}
