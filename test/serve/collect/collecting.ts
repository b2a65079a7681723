import { request as httpRequest } from 'node:http';
import { afterEachTest } from '../../helpers/after-each.js';
import type { Clock } from '../../../src/clock.js';
import { collectionApi } from '../../../src/serve/collect/api.js';
import type { Refusal } from '../../../src/serve/collect/refusal.js';
import { HttpServer, type Timeouts } from '../../../src/serve/http-server.js';
import type {
  Accept,
  Accepted,
  Deletion,
  IngestBatch,
  Rejected,
} from '../../../src/serve/types.js';
import { webhookBody } from '../../../src/webhook/body.js';
import { someSource } from './sources.js';

export const startedAt = Date.parse('2026-11-20T08:30:00.000Z');

export interface CollectingOptions {
  readonly accept?: Accept;
  /** Default: fixed at `startedAt`. */
  readonly clock?: Clock;
  readonly timeouts?: Partial<Timeouts>;
}

/** A collection API on a free port of loopback, with what it has accepted. */
export interface Collecting {
  readonly port: number;
  readonly url: string;
  readonly batches: readonly IngestBatch[];
  readonly deletions: readonly Deletion[];
  readonly refusals: readonly Refusal[];
  /** Of all batches. */
  readonly accepted: readonly Accepted[];
  readonly rejected: readonly Rejected[];
}

const open: (() => Promise<void>)[] = [];

afterEachTest(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

export async function startCollecting(options: CollectingOptions = {}): Promise<Collecting> {
  const batches: IngestBatch[] = [];
  const deletions: Deletion[] = [];
  const refusals: Refusal[] = [];
  const handler = collectionApi({
    findSource: (writeKey) => someSource(writeKey),
    clock: options.clock ?? {
      now: () => startedAt,
      monotonic: () => 0,
      after: () => () => undefined,
    },
    accept: async (batch) => {
      await options.accept?.(batch);
      batches.push(batch);
    },
    deletion: (deletion) => {
      deletions.push(deletion);
      return Promise.resolve();
    },
    onRefused: (refusal) => refusals.push(refusal),
    operations: ({ url }, response) => response.end(`operations: ${url}`),
    isStopping: () => false,
  });
  const { timeouts } = options;
  const server = new HttpServer({
    handler,
    onNote: () => undefined,
    onRefused: (refusal) => refusals.push(refusal),
    ...(timeouts && { timeouts }),
  });
  const port = await server.listen('127.0.0.1', 0);
  open.push(() => {
    server.closeAllConnections();
    return server.close();
  });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    batches,
    deletions,
    refusals,
    get accepted() {
      return batches.flatMap(({ accepted }) => accepted);
    },
    get rejected() {
      return batches.flatMap(({ rejected }) => rejected);
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The write key `k1`, as most clients send it. */
export const basic = { authorization: `Basic ${Buffer.from('k1:').toString('base64')}` };

/** Sends exactly these headers; by default the usual write key. */
export function send(
  { port }: Collecting,
  { method = 'POST', path = '/v1/batch', headers = basic, body = '' }: Call,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const all = method === 'POST' && !('transfer-encoding' in headers) ? length : {};
    const request = httpRequest(
      { port, host: '127.0.0.1', method, path, headers: { ...all, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode, headers: given } = response;
          resolve({ status: statusCode!, headers: given, body: Buffer.concat(chunks) });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** The status and the `code` of an error, or the success. */
export function outcome({ status, body }: Answer): string {
  const { success, code, message, error } = JSON.parse(body.toString()) as Record<string, unknown>;
  if (success === true) return `${status} success`;
  if (typeof message !== 'string' || message === '' || error !== message) {
    return `${status} without a message`;
  }
  return `${status} ${String(code)}`;
}

export function textOf({ event }: Accepted): string {
  return event.bytes.toString();
}

/** What a webhook would get. */
export function bodyOf({ event, stamp }: Accepted): Record<string, unknown> {
  return JSON.parse(webhookBody(event, stamp).toString()) as Record<string, unknown>;
}
