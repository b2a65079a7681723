import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { history } from '../../fixtures/history.js';
import { count, countOf } from '../../output/numbers.js';
import type { Paint } from '../../output/text.js';
import type { SharedStore } from '../../store/postgres/open.js';
import type { Io } from '../shared/command.js';
import { Interruption } from '../shared/interruption.js';
import { print, say } from '../shared/output.js';
import { openStoreFor, type StoreFlags } from '../shared/store-flags.js';
import { Fleet, Interrupted } from './fleet.js';
import { mark } from './mark.js';
import { startReceiver, type Receiver } from './receiver.js';

/** More parts than the workers have in hand, so that each has some when one is killed. */
const files = 10;
const historiesPerFile = 2;
const workerCount = 3;
/** The share of the events that has arrived when a worker is killed. */
const killedAt = 0.4;

/** Imports with three workers, of which one is killed. Resolves with the exit code: 0 if no event was lost. */
export async function runMachinesDemo(flags: StoreFlags, io: Io, paint: Paint): Promise<number> {
  const schema = `evfwd_demo_${randomBytes(4).toString('hex')}`;
  const store = await openStoreFor({ ...flags, storeSchema: schema }, io, { maxConnections: 2 });
  const interruption = new Interruption(() => say(io, 'interrupted: removing what the demo made'));
  const secret = randomBytes(16).toString('hex');
  const receiver = await startReceiver(secret, { refusesSome: false });
  const folder = await mkdtemp(join(tmpdir(), 'evfwd-demo-'));
  const fleet = new Fleet({
    ...{ flags, io, schema, secret, folder },
    signal: interruption.signal,
  });
  try {
    return (await show({ store, receiver, folder, fleet, io, paint })) ? 0 : 1;
  } catch (error) {
    if (error instanceof Interrupted) return interruption.exitCode!;
    throw error;
  } finally {
    await fleet.end();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
    await drop(store);
    interruption.end();
  }
}

interface Scene {
  readonly store: SharedStore;
  readonly receiver: Receiver;
  readonly folder: string;
  readonly fleet: Fleet;
  readonly io: Io;
  readonly paint: Paint;
}

/** @returns whether each event has arrived */
async function show(scene: Scene): Promise<boolean> {
  const { store, receiver, folder, fleet, io, paint } = scene;
  const { received, url } = receiver;
  const total = await writeFiles(folder);
  print(io, `${paint.bold('1.')} A webhook receiver listens at ${url}.`);
  const workers = Array.from({ length: workerCount }, () => fleet.start(['worker']));
  await fleet.until(() => workers.every((one) => one.hasEnded || one.stderr.includes('waiting')));
  print(io, `${paint.bold('2.')} ${workerCount} workers wait for work at ${store.name}.`);
  print(io, `   An import of ${count(total)} events in ${files} files begins.`);
  const planner = fleet.start(['import', '*.ndjson', '--url', url]);
  await fleet.until(() => received.accepted.size >= total * killedAt || planner.hasEnded);
  const arrived = count(received.accepted.size);
  await workers[1]!.kill();
  print(
    io,
    `${paint.bold('3.')} Worker 2 was killed (kill -9) when ${arrived} events had arrived.`,
  );
  print(io, '   The others take over its work within 20 seconds.');
  const atWork = [workers[0]!, workers[2]!];
  await fleet.until(() => planner.hasEnded || atWork.every(({ hasEnded }) => hasEnded));
  const isDone = planner.exitCode === 0;
  // Nobody has seen what they said.
  if (!isDone) for (const { stderr } of [planner, ...atWork]) say(io, stderr.trimEnd());
  return conclude(scene, total) && isDone;
}

function conclude({ receiver, io, paint }: Scene, total: number): boolean {
  const { requests, validSignatures, accepted, repeats } = receiver.received;
  const lost = total - accepted.size;
  const invalid = requests - validSignatures;
  const lines = [
    `${paint.bold('4.')} Result at the receiver:`,
    `   sent      ${count(requests)} requests`,
    `   arrived   ${count(accepted.size)} of ${count(total)} events`,
    `   repeats   ${count(repeats)}, with the same messageId: the killed worker had sent`,
    '             them, but not yet stored that',
    `   lost      ${count(lost)} ${mark(lost === 0, paint)}`,
  ];
  for (const line of lines) print(io, line);
  if (invalid > 0) print(io, `   ${mark(false, paint)} ${countOf(invalid, 'invalid signature')}`);
  return lost === 0 && invalid === 0;
}

/** Each event has a messageId of its own. */
async function writeFiles(folder: string): Promise<number> {
  const lines = [...history()];
  for (let file = 0; file < files; file++) {
    const texts = Array.from({ length: historiesPerFile }, (_, copy) =>
      lines.map((line) => line.replace(/"messageId":"/, `$&${file}-${copy}-`)).join('\n'),
    );
    await writeFile(join(folder, `part-${file}.ndjson`), `${texts.join('\n')}\n`);
  }
  return files * historiesPerFile * lines.length;
}

/** The schemas of the demo, with all that is in them. */
async function drop(store: SharedStore): Promise<void> {
  const { database, jobs, schema } = store;
  await jobs.close();
  await database.longQuery(`DROP SCHEMA IF EXISTS ${schema}, ${schema}_jobs CASCADE`);
  await store.close();
}
