import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../clock.js';
import { history } from '../../fixtures/history.js';
import { findInputs } from '../../sources/find-inputs.js';
import { readBatches } from '../../sources/read.js';
import { StoreCommitter } from '../../ledger/committer.js';
import { Ledger } from '../../ledger/ledger.js';
import { DeadLetterFile } from '../../ledger/dead-letter-file.js';
import { ImportStore } from '../../ledger/store.js';
import type { Summary } from '../../ledger/summary.js';
import { count } from '../../output/numbers.js';
import { summaryText } from '../../output/summary.js';
import type { Paint } from '../../output/text.js';
import { runPipeline } from '../../importer/pipeline.js';
import { WebhookTarget } from '../../webhook/target.js';
import { mark } from './mark.js';
import { startReceiver, type Receiver } from './receiver.js';

/** Retry delays of the demo, about a hundred times shorter than the real ones. */
const retryDelaysMs = [100, 300, 900];

/** Imports a history on this machine; true if every event arrived with a valid signature. */
export async function runDemo(report: (line: string) => void, paint: Paint): Promise<boolean> {
  const secret = randomBytes(16).toString('hex');
  const receiver = await startReceiver(secret);
  const folder = await mkdtemp(join(tmpdir(), 'evfwd-demo-'));
  try {
    const file = join(folder, 'history.ndjson');
    await writeFile(file, `${[...history()].join('\n')}\n`);
    report(`${paint.bold('1.')} A webhook receiver listens at ${receiver.url}.`);
    report('   It verifies X-Signature, and responds with 503 to some requests on purpose.');
    report(
      `${paint.bold('2.')} A history of 30 days is imported: every event is signed, sent, and retried if needed.\n`,
    );
    const summary = await importHistory(file, folder, receiver, secret);
    report(indent(summaryText(summary, paint)));
    return conclude(summary, receiver, report, paint);
  } finally {
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function importHistory(
  file: string,
  folder: string,
  receiver: Receiver,
  secret: string,
): Promise<Summary> {
  const store = await ImportStore.open(':memory:');
  const deadLetterPath = join(folder, 'dead-letter.ndjson');
  const ledger = new Ledger({
    store,
    committer: new StoreCommitter(store, new DeadLetterFile(deadLetterPath)),
    deadLetterPath,
    files: [file],
    canReread: () => true,
    isResumable: false,
    clock: systemClock,
  });
  const target = new WebhookTarget({
    endpoints: [{ url: receiver.url }],
    sharedSecret: secret,
    retryDelaysMs,
    retryWindowMs: 10_000,
    returnsRetries: true,
    onAttempt: (result, messageId) => ledger.attempt(result, messageId),
  });
  await runPipeline({
    source: readBatches(await findInputs([file])),
    isSelected: () => true,
    limit: Infinity,
    stamp: { ids: 'keep', seed: randomUUID() },
    target,
    ledger,
    clock: systemClock,
    sleep: () => Promise.resolve(),
    interrupted: new AbortController().signal,
  });
  await target.close();
  const summary = ledger.finish(true);
  store.close();
  return summary;
}

function conclude(
  summary: Summary,
  { received }: Receiver,
  report: (line: string) => void,
  paint: Paint,
): boolean {
  const { requests, validSignatures, injectedFailures, accepted } = received;
  const isWhole = summary.delivered === summary.read && accepted.size === summary.read;
  const isSigned = validSignatures === requests;
  report(`\n${paint.bold('3.')} Result at the receiver:`);
  report(
    `   ${mark(isSigned, paint)} ${count(validSignatures)} of ${count(requests)} signatures are valid`,
  );
  report(
    `   ${mark(isWhole, paint)} ${count(accepted.size)} of ${count(summary.read)} events arrived`,
  );
  report(
    `   ${mark(summary.retries === injectedFailures, paint)} ${count(injectedFailures)} failed with 503 first and were retried`,
  );
  report("\nNext, send your own: evfwd send track --event 'Hello' --user-id u1 --url <your URL>");
  return isWhole && isSigned;
}

function indent(text: string): string {
  return text.replace(/^/gm, '   ');
}
