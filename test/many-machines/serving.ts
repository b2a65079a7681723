import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEachTest } from '../helpers/after-each.js';
import { ended, start, type CliResult } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { PostgresServer } from '../helpers/postgres.js';
import { startReceiver, type Receiver, type ReceiverResponse } from '../helpers/receiver.js';

/** An instance of `evfwd serve` as a process of its own. */
export interface ServeProcess {
  readonly url: string;
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<CliResult>;
}

/** Instances that share a PostgreSQL, and the endpoint that they send to; all of it ends with the test. */
export class ServingScene {
  readonly receiver: Receiver;
  readonly server: PostgresServer;
  readonly instances: ServeProcess[] = [];
  /** messageIds that were answered 200. */
  readonly accepted = new Set<string>();
  readonly #folder: string;
  #sent = 0;

  private constructor(server: PostgresServer, receiver: Receiver, retention: string) {
    this.server = server;
    this.receiver = receiver;
    this.#folder = folderWith();
    writeFileSync(join(this.#folder, 'evfwd.config.yaml'), configOf(receiver.url, retention));
    open.push(this);
  }

  static async open(
    count: number,
    respond?: (
      index: number,
    ) => ReceiverResponse | undefined | Promise<ReceiverResponse | undefined>,
    retention = '0',
  ): Promise<ServingScene> {
    const server = await PostgresServer.start();
    const receiver = await startReceiver(respond && ((_request, index) => respond(index)));
    const scene = new ServingScene(server, receiver, retention);
    for (let i = 0; i < count; i++) await scene.startInstance();
    return scene;
  }

  /** `mark`: the query of the URL to which this one sends, so that its requests are known. */
  async startInstance(mark?: string): Promise<ServeProcess> {
    const config = mark === undefined ? [] : ['--config', `${mark}.yaml`];
    if (mark !== undefined) {
      writeFileSync(join(this.#folder, `${mark}.yaml`), configOf(`${this.receiver.url}?${mark}`));
    }
    const child = start(['serve', '--port', '0', '--json', ...config], {
      cwd: this.#folder,
      env: { EVFWD_STORE: this.server.url },
    });
    const result = ended(child);
    const url = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const line = text.split('\n').find((one) => one.includes('"ready"'));
        if (line) resolve((JSON.parse(line) as { url: string }).url);
      });
      void result.then(({ stderr }) => reject(new Error(`serve ended: ${stderr}`)));
    });
    const instance = { url, child, ended: result };
    this.instances.push(instance);
    return instance;
  }

  /**
   * Sends so many batches of 50 new events, each to one instance after the other until one accepts it. A request without
   * a response is repeated: its events may be there already.
   */
  async load(batches: number, to: readonly ServeProcess[] = this.instances): Promise<void> {
    const send = async (): Promise<void> => {
      while (batches-- > 0) {
        const ids = Array.from({ length: 50 }, () => `m${this.#sent++}`);
        for (let turn = batches; !(await post(to[turn % to.length]!.url, ids)); turn++) {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        for (const id of ids) this.accepted.add(id);
      }
    };
    await Promise.all(Array.from({ length: 4 }, send));
  }

  /** How often each messageId came with a 2xx. */
  arrivals(): Map<string, number> {
    const times = new Map<string, number>();
    for (const { messageId } of this.receiver.json() as { messageId: string }[]) {
      times.set(messageId, (times.get(messageId) ?? 0) + 1);
    }
    return times;
  }

  /** Resolves when all that was accepted has arrived, and nothing waits; to how many came more than once. */
  async complete(): Promise<{ readonly lost: string[]; readonly repeats: number }> {
    for (;;) {
      const [row] = await this.server.sql<{ n: string }>(
        `SELECT (SELECT count(*) FROM evfwd.queued_block) + (SELECT count(*) FROM evfwd.retry_batch) AS n`,
      );
      if (Number(row!.n) === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const arrived = this.arrivals();
    const lost = [...this.accepted].filter((id) => !arrived.has(id));
    const all = [...arrived.values()].reduce((sum, times) => sum + times, 0);
    return { lost, repeats: all - arrived.size };
  }

  /** No row is left that belongs to nothing. */
  async leftovers(): Promise<Record<string, number>> {
    const [row] = await this.server.sql<Record<string, string>>(
      `SELECT (SELECT count(*) FROM evfwd.event_block) AS blocks, (SELECT count(*) FROM evfwd_jobs.job) AS jobs`,
    );
    return { blocks: Number(row!.blocks), jobs: Number(row!.jobs) };
  }

  async end(): Promise<void> {
    for (const { child } of this.instances) child.kill('SIGKILL');
    await Promise.all(this.instances.map((instance) => instance.ended));
    await this.receiver.close();
  }
}

const open: ServingScene[] = [];
afterEachTest(async () => {
  await Promise.all(open.splice(0).map((scene) => scene.end()));
});

function configOf(url: string, retention = '0'): string {
  return `retention: ${retention}
sources:
  web: { writeKey: k-web, destinations: [crm] }
destinations:
  crm: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${url}' }] }
`;
}

/** Whether it was accepted. */
async function post(url: string, ids: readonly string[]): Promise<boolean> {
  const batch = ids.map((messageId) => ({ type: 'track', userId: 'u', event: 'E', messageId }));
  const init = {
    method: 'POST',
    body: JSON.stringify({ batch, writeKey: 'k-web' }),
    signal: AbortSignal.timeout(10_000),
  };
  try {
    const response = await fetch(`${url}/v1/batch`, init);
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
