import { join } from 'node:path';
import { systemClock } from '../../src/clock.js';
import { StoreCommitter, type CommitStep } from '../../src/ledger/committer.js';
import { Ledger, type LedgerOptions } from '../../src/ledger/ledger.js';
import { DeadLetterFile } from '../../src/ledger/dead-letter-file.js';
import { ImportStore } from '../../src/ledger/store.js';
import { folderWith } from './folder.js';

export interface OpenedLedger {
  readonly ledger: Ledger;
  readonly store: ImportStore;
  /** The dead-letter file. */
  readonly path: string;
}

/** A ledger of one file, `events.ndjson`, by default with its state in memory. */
export async function openLedger(
  { onStep, ...options }: Partial<LedgerOptions> & { onStep?: (step: CommitStep) => void } = {},
  path = join(folderWith(), 'dead.ndjson'),
): Promise<OpenedLedger> {
  const store = options.store ?? (await ImportStore.open(':memory:'));
  const ledger = new Ledger({
    store,
    committer: new StoreCommitter(store, new DeadLetterFile(path), { onStep }),
    deadLetterPath: path,
    files: ['events.ndjson'],
    canReread: () => false,
    isResumable: true,
    clock: systemClock,
    ...options,
  });
  return { ledger, store, path };
}
