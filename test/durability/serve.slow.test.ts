import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Client } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { Overview } from '../../src/api/serve.js';
import { ended, start } from '../helpers/cli.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { seededRandom } from '../helpers/seed.js';
import { hasTool } from '../helpers/tools.js';
import type { DiskOptions } from './disk.js';
import { exchangesOf, type Exchange } from './exchanges.js';
import {
  chooseCuts,
  cutPower,
  recordingOf,
  spread,
  startTraced,
  traceableFolder,
  type Cut,
  type Recording,
} from './power-cut.js';

const clients = 6;
const batches = 15;
const batchSize = 4;
const count = clients * batches * batchSize;
const isRefused = (n: number): boolean => n % 40 === 7;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const configuration = (url: string): string => `sources:
  web: { writeKey: key, destinations: [crm] }
destinations:
  crm: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${url}' }] }
`;

const command = ['serve', '--port', '0', '--json'];

interface Served {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Waits until a service is ready. */
async function ready(child: ChildProcessWithoutNullStreams): Promise<Served> {
  const end = ended(child);
  cleanups.push(() => child.kill('SIGKILL') && end);
  const lines = createInterface({ input: child.stdout });
  const first = once(lines, 'line').then(([line]) => line as string);
  const early = end.then(({ code, stderr }): never => {
    throw new Error(`the service ended with ${code}: ${stderr}`);
  });
  const { url } = JSON.parse(await Promise.race([first, early])) as { url: string };
  early.catch(() => undefined);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await end;
  };
  return { url, stop };
}

/** Posts events in batches, one after the other over one connection. Returns the accepted ones. */
async function post(url: string, numbers: readonly number[]): Promise<number[]> {
  const client = new Client(url);
  const taken: number[] = [];
  for (let from = 0; from < numbers.length; from += batchSize) {
    const some = numbers.slice(from, from + batchSize);
    const batch = some.map((n) => ({
      ...{ type: 'track', userId: 'u', event: 'E', messageId: `m${n}`, properties: { n } },
    }));
    const body = JSON.stringify({ batch, writeKey: 'key' });
    const response = await client.request({ path: '/v1/batch', method: 'POST', body });
    await response.body.dump();
    if (response.statusCode === 200) taken.push(...some);
  }
  await client.close();
  return taken;
}

const numbersOf = (exchanges: readonly Exchange[]): number[] =>
  exchanges.flatMap(({ request }) => [...request.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n)));

const numbersFrom = (first: number, howMany: number): number[] =>
  Array.from({ length: howMany }, (_, i) => first + i);

interface Run {
  readonly cwd: string;
  readonly receiver: Receiver;
  readonly recording: Recording;
  /** The requests of the clients. */
  readonly taken: readonly Exchange[];
  /** The requests to the destination. */
  readonly forwarded: readonly Exchange[];
}

/** Runs a service that accepts and forwards all events, and records it. */
async function record(): Promise<Run> {
  const receiver = await startReceiver(({ body }) => {
    const n = Number(/"n":(\d+)/.exec(body.toString())![1]);
    return { status: isRefused(n) ? 400 : 200 };
  });
  cleanups.push(() => receiver.close());
  const cwd = traceableFolder({ 'evfwd.config.yaml': configuration(receiver.url) });
  const served = await ready(startTraced(command, cwd));
  const share = count / clients;
  const posts = numbersFrom(0, clients).map((i) => post(served.url, numbersFrom(i * share, share)));
  expect((await Promise.all(posts)).flat()).toHaveLength(count);
  await receiver.atLeast(count);
  await served.stop();
  const recording = recordingOf(cwd, new Map());
  const [taken, forwarded] = [
    exchangesOf(recording.steps, 'server'),
    exchangesOf(recording.steps, 'client'),
  ];
  return { cwd, receiver, recording, taken, forwarded };
}

/** The state of the service, from its API. */
interface ServiceState {
  readonly waiting: number;
  readonly deadLetters: readonly number[];
}

async function stateOf(url: string): Promise<ServiceState> {
  const api = async (path: string) => (await fetch(`${url}/_evfwd/api/${path}`)).json();
  const { destinations } = (await api('overview')) as Pick<Overview, 'destinations'>;
  const waiting = destinations.reduce((sum, { queued, retrying }) => sum + queued + retrying, 0);
  const deadLetters = JSON.stringify(await api('dead-letters?limit=500'));
  const ids = [...deadLetters.matchAll(/"messageId":"m(\d+)"/g)];
  return { waiting, deadLetters: ids.map(([, n]) => Number(n)) };
}

/** Cuts the power, starts the service again, and returns what is wrong. */
async function problemsAfter(run: Run, cut: Cut, options?: DiskOptions): Promise<string[]> {
  const { cwd, receiver, recording, taken, forwarded } = run;
  cutPower(recording, cut.at, cut.survival, options);
  const from = receiver.requests.length;
  const served = await ready(start(command, { cwd }));
  const promised = numbersOf(
    taken.filter(({ status, respondedAt }) => status === 200 && respondedAt <= cut.at),
  );
  const isPromised = new Set(promised);
  // Clients repeat requests without a response, and send new events.
  const more = numbersFrom(0, count + 8).filter((n) => !isPromised.has(n));
  const repeated = await post(served.url, more);
  const arrived = new Set(
    numbersOf(
      forwarded.filter(({ status, respondedAt }) => status === 200 && respondedAt <= cut.at),
    ),
  );
  const state = await settled(served.url);
  for (const { body } of receiver.requests.slice(from)) {
    const n = Number(/"n":(\d+)/.exec(body.toString())![1]);
    if (!isRefused(n)) arrived.add(n);
  }
  await served.stop();
  const dead = new Set(state.deadLetters);
  const lost = [...promised, ...repeated].filter((n) => !arrived.has(n) && !dead.has(n));
  const problems: string[] = [];
  if (lost.length > 0) problems.push(`lost: ${lost.join()}`);
  if (repeated.length < more.length) problems.push('the service refuses events');
  if (dead.size < state.deadLetters.length) problems.push('dead letters are duplicated');
  return problems;
}

/** Waits until no event is queued. */
async function settled(url: string): Promise<ServiceState> {
  for (;;) {
    const state = await stateOf(url);
    if (state.waiting === 0) return state;
  }
}

describe.skipIf(!hasTool('strace'))('evfwd serve, when the power is cut', () => {
  it('delivers all events that it accepted with status 200', async () => {
    const random = seededRandom();
    const run = await record();
    const responses = run.taken.map(({ respondedAt }) => respondedAt);
    const afterResponses = spread(responses, 6, random).map((at, i): Cut => ({
      at,
      survival: i % 2 === 0 ? 'synced only' : { random },
    }));
    for (const cut of [...afterResponses, ...chooseCuts(run.recording.steps, 10, random)]) {
      expect(await problemsAfter(run, cut), `power cut after line ${cut.at}`).toEqual([]);
    }
  }, 120_000);

  it('loses events on a disk that ignores syncs, so that the test above would fail', async () => {
    const run = await record();
    const responses = run.taken.map(({ respondedAt }) => respondedAt);
    const cut: Cut = { at: responses[responses.length >> 1]!, survival: 'synced only' };
    const problems = await problemsAfter(run, cut, { ignoresSync: true });
    expect(problems.join('\n')).toMatch(/^lost: /);
  });
});
