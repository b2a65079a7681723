import { afterEach, beforeEach } from 'vitest';
import { Witness } from './process.js';
import { startReceiver, type Receiver } from './receiver.js';

/** A receiver whose requests are recorded by a witness. */
export interface WitnessedReceiver {
  readonly receiver: Receiver;
  readonly witness: Witness;
  /** The status for an event; `undefined` sends no response. */
  statusOf: (n: number) => number | undefined;
}

/** Starts one before each test of the file, which responds with 200 until the test says otherwise. */
export function receiverOfEachTest(): WitnessedReceiver {
  const at = {} as { -readonly [K in keyof WitnessedReceiver]: WitnessedReceiver[K] };
  beforeEach(async () => {
    at.witness = new Witness();
    at.statusOf = () => 200;
    at.receiver = await startReceiver(at.witness.responding(([n]) => at.statusOf(n!)));
  });
  afterEach(() => at.receiver.close());
  return at;
}
