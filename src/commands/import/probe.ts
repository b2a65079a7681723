import { UsageError } from '../../errors.js';
import type { Stopper } from '../../run/run-stop.js';
import type { ImportListener, ImportParts } from './parts.js';
import { singleThreadImport } from './single-thread.js';

/** What came of the events that a plan has sent. */
export interface Probe {
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
  /** Without a response yet, or to be retried: the import sends them. */
  readonly pending: number;
  readonly seconds: number;
  /** Events that have ended per second; null if none has. */
  readonly eventsPerSecond: number | null;
}

/** Longer than any response timeout by default; what is retried later than this is left to the import. */
const maxProbeMs = 30_000;

/** @throws UsageError for standard input, which can be read only once */
export function checkProbe(inputs: ImportParts['inputs']): void {
  if (inputs.every(({ isFile }) => isFile)) return;
  throw new UsageError(
    '--probe: a plan reads its events again after the probe; pass files in place of a pipe',
  );
}

/**
 * Sends the next `events` of an import, as the import does, and records them in its state. Ends after 30 s.
 * @throws UsageError when the target cannot be used
 */
export async function probe(parts: ImportParts, events: number, stopper: Stopper): Promise<Probe> {
  const { platform, flags, log } = parts;
  const listener = { ...quiet, refused: () => stopper.stop() };
  const engine = singleThreadImport({ ...parts, flags: { ...flags, limit: events } }, listener);
  await engine.urls();
  const { clock } = platform;
  const cancel = clock.after(maxProbeMs, () => stopper.stop());
  const startMs = clock.monotonic();
  try {
    await engine.forward(stopper.signal);
  } finally {
    cancel();
    stopper.end();
  }
  const seconds = (clock.monotonic() - startMs) / 1000;
  const { delivered, failed, pending } = engine.finish(false);
  await log?.close(stopper.signal);
  const ended = delivered + failed;
  return {
    ...{ sent: ended + pending, delivered, failed, pending, seconds },
    eventsPerSecond: ended > 0 ? ended / seconds : null,
  };
}

/** What fails is in the counts; inputs that are broken are in the plan. */
const quiet: Omit<ImportListener, 'refused'> = {
  counted: () => undefined,
  next: () => undefined,
  down: () => undefined,
  broken: () => undefined,
  attempt: () => undefined,
  problem: () => undefined,
};
