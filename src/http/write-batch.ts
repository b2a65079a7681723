/** Has bytes to write. */
export interface BatchWriter {
  /** Writes them, if they are still wanted. */
  write(): void;
}

let writers: BatchWriter[] = [];

/**
 * Has it write as soon as the code that runs now is through, together with all others that ask
 * meanwhile, and before anything can be read. A receiver that gets requests one by one falls asleep
 * after each, and waking it costs both sides.
 */
export function writeInBatch(writer: BatchWriter): void {
  if (writers.push(writer) === 1) queueMicrotask(writeAll);
}

function writeAll(): void {
  const all = writers;
  writers = [];
  for (const writer of all) writer.write();
}
