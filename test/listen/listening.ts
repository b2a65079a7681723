import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEachTest } from '../helpers/after-each.js';
import { Faults } from '../../src/listen/fault-plan.js';
import { Journal } from '../../src/listen/journal.js';
import { startListener, type ListenerOptions } from '../../src/listen/listener.js';
import { notesOf, summaryOf } from '../../src/listen/notes.js';
import type { ReceivedRequest } from '../../src/listen/received-request.js';
import type { MemoryLimiter } from '../../src/listen/memory-limiter.js';
import type { Recorder } from '../../src/listen/recorder.js';
import { responseFor } from '../../src/listen/planned-response.js';
import { parseRespondRule } from '../../src/receive/rules/respond-rule.js';
import { unchecked } from '../../src/receive/checked-signature.js';
import { Verification } from '../../src/receive/verification.js';
import { presets } from '../../src/sign/schemes/index.js';

export interface Listening {
  /** Without a path. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly journal: Journal;
  readonly faults: Faults;
  /** The notes for people. */
  readonly notes: readonly string[];
  /** All requests that are kept, oldest first. */
  readonly got: () => ReceivedRequest[];
  /** Resolves when this many requests have arrived. */
  readonly arrived: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ListeningOptions {
  /** Of `x-signature`. */
  readonly secret?: string;
  /** In place of `secret`. */
  readonly verification?: Verification;
  readonly isEnforced?: boolean;
  readonly isDeduped?: boolean;
  /** Rules of `--respond`. */
  readonly respond?: readonly string[];
  /** The URL of an app. */
  readonly forward?: string;
  readonly faults?: readonly string[];
  readonly seed?: number;
  readonly recorder?: Recorder;
  readonly journal?: Journal;
  readonly memory?: MemoryLimiter;
  readonly host?: string;
  readonly pageFolder?: string;
  readonly timeouts?: ListenerOptions['timeouts'];
}

/** Verifies all requests by one scheme; none without a secret. */
export function verifying(secret: string | undefined, scheme = 'x-signature'): Verification {
  const rule = { scheme: presets.get(scheme)!, secrets: [secret!] };
  return new Verification(secret === undefined ? [] : [rule]);
}

const open: Listening[] = [];

/** A receiver on a free port of loopback; it is closed after the test. */
export async function listening(options: ListeningOptions = {}): Promise<Listening> {
  const { secret, recorder, memory, pageFolder, timeouts, host = '127.0.0.1' } = options;
  const journal = options.journal ?? new Journal();
  const faults = new Faults({ faults: options.faults ?? [], seed: options.seed ?? 1 });
  const notes: string[] = [];
  let waiters: { count: number; resolve: () => void }[] = [];
  let arrived = 0;
  journal.watch({
    added: () => {
      arrived++;
      for (const waiter of waiters) if (arrived >= waiter.count) waiter.resolve();
      waiters = waiters.filter(({ count }) => arrived < count);
    },
  });
  const { url, token, close } = await startListener({
    host,
    port: 0,
    verification: options.verification ?? verifying(secret),
    isEnforced: options.isEnforced,
    isDeduped: options.isDeduped,
    forward: options.forward === undefined ? undefined : { url: options.forward },
    respond: options.respond?.map((rule) => parseRespondRule(rule, (path) => readFileSync(path))),
    journal,
    faults,
    recorder,
    memory,
    onNote: (text) => notes.push(text),
    ...(pageFolder !== undefined && { pageFolder }),
    ...(timeouts && { timeouts }),
  });
  const started: Listening = {
    url,
    port: Number(new URL(url).port),
    token,
    journal,
    faults,
    notes,
    got: () => journal.kept.all(),
    arrived: (count) =>
      new Promise((resolve) => {
        if (arrived >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    close,
  };
  open.push(started);
  return started;
}

afterEachTest(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close().catch(() => undefined)));
});

/** The data received on a connection, and how it ended. */
export interface RawReply {
  readonly text: string;
  /** `end`, or the code of the error. */
  readonly ended: string;
}

/** Writes these bytes to a new connection, and reads until the other side closes it. */
export function raw(port: number, ...parts: readonly (string | Buffer)[]): Promise<RawReply> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    let ended = 'end';
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => (ended = error.code ?? error.message));
    socket.on('close', () => resolve({ text: Buffer.concat(chunks).toString('latin1'), ended }));
    for (const part of parts) socket.write(part);
  });
}

/** A request as `listen` keeps it, for tests without a connection. */
export function received(
  given: Partial<ReceivedRequest> & { text?: string } = {},
): ReceivedRequest {
  const { text = '{"type":"track","event":"E","userId":"u"}', ...rest } = given;
  const body = rest.body ?? Buffer.from(text);
  const path = rest.path ?? '/hook';
  return {
    id: `run-${given.sequence ?? 1}`,
    sequence: 1,
    receivedAt: Date.UTC(2026, 0, 1),
    startedAt: 0,
    method: 'POST',
    path,
    headers: ['Host', 'localhost', 'Content-Type', 'application/json'],
    body,
    bytes: body.length,
    isTooLarge: false,
    summary: summaryOf(notesOf(body, path)),
    ...unchecked,
    response: responseFor(undefined),
    forwarded: null,
    isDuplicate: false,
    duplicateEvents: [],
    fault: null,
    durationMs: 1,
    keptBytes: body.length,
    ...rest,
  };
}
