import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { EndpointDeliveryState } from '../../src/delivery/outcome.js';
import { exitCodes, StateError, UsageError, type EvfwdError } from '../../src/errors.js';
import type { RetryRow } from '../../src/ledger/retry-row.js';
import { schemaVersion } from '../../src/ledger/schema.js';
import { plainCheckpoint } from '../../src/ledger/progress.js';
import { ImportStore, type StateChanges } from '../../src/ledger/store.js';
import { openDatabase } from '../../src/storage/sqlite.js';
import { folderWith } from '../helpers/folder.js';
import { emptyCheckpoint } from '../helpers/checkpoint.js';
import { spawnSync } from '../helpers/run-sync.js';

const stores = new Set<ImportStore>();

afterEach(() => {
  for (const store of stores) close(store);
});

async function open(path = join(folderWith(), 'state.db')): Promise<ImportStore> {
  const store = await ImportStore.open(path);
  stores.add(store);
  return store;
}

function close(store: ImportStore): void {
  stores.delete(store);
  store.close();
}

async function reopened(store: ImportStore): Promise<ImportStore> {
  close(store);
  return open(store.path);
}

const nothing: StateChanges = {
  checkpoint: emptyCheckpoint,
  counts: { delivered: 0, rejected: 0, failed: 0, skipped: 0, disabled: 0, unwanted: 0 },
  isFinished: false,
  putRetries: [],
  deleteRetries: [],
  addDeadLetters: [],
};

const endpointDelivery: EndpointDeliveryState = {
  attempts: 1,
  firstAt: 1_763_627_400_000.25,
  status: 503,
  error: null,
};

function retry(change: Partial<RetryRow> = {}): RetryRow {
  return {
    ...{
      id: 1,
      dueAt: 1_763_627_405_000.5,
      delayMs: 4_999.25,
      file: 0,
      line: 7,
      offset: 5_000_000_000,
      length: 80,
    },
    ...{ part: 0, hash: '0123456789abcdef', text: null, givenId: null, user: 'u1' },
    stamp: { messageId: 'm1', writesMessageId: false },
    endpointDeliveries: [endpointDelivery],
    ...change,
  };
}

describe('the state of an import', () => {
  it('is empty at first', async () => {
    const store = await reopened(await open());
    expect(store.record()).toBeUndefined();
    expect([plainCheckpoint(store.checkpoint()), store.counts(), store.isFinished()]).toEqual([
      emptyCheckpoint,
      nothing.counts,
      false,
    ]);
    expect([store.retryCount(), store.lastRetryId(), store.deadLetters()]).toEqual([0, 0, []]);
  });

  it('is accessible only by its owner, with all other files of SQLite', async () => {
    const store = await open();
    store.commit(nothing);
    const files = [store.path, `${store.path}-wal`].filter((path) => existsSync(path));
    expect(files.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it('keeps the record of the import, and the new size of a file', async () => {
    const file = { path: 'ü.ndjson', size: 2 ** 40, modified: 1.5, headBytes: 3, headHash: 'abc' };
    const record = { description: 'a, b', seed: 's', selection: '{}', credentials: null };
    const store = await open();
    store.putFiles([
      [0, file],
      [1, file],
    ]);
    store.putRecord(record);
    const again = await reopened(store);
    expect([again.record(), again.file(0), again.file(1)]).toEqual([record, file, file]);
    const grown = { ...file, size: 2 ** 41 };
    again.putFiles([[0, grown]]);
    again.putRecord({ ...record, credentials: 'hash' });
    const last = await reopened(again);
    expect([last.record()?.credentials, last.file(0), last.file(1), last.file(2)]).toEqual([
      'hash',
      grown,
      file,
      undefined,
    ]);
  });

  it('keeps the checkpoint, the counts, and whether it is finished', async () => {
    const store = await open();
    const checkpoint = {
      last: new Map([
        [0, { line: 3, offset: 7, length: 0 }],
        [7_000, { line: 9, offset: 2 ** 40, length: 4, hash: '0123456789abcdef' }],
      ]),
      open: [
        [1, 5, 60, 3],
        [1, 9, 90, 4, 1],
      ] as const,
    };
    const counts = { delivered: 1, rejected: 2, failed: 3, skipped: 4, disabled: 0, unwanted: 0 };
    store.commit({ ...nothing, checkpoint, counts, isFinished: true });
    const again = await reopened(store);
    expect([plainCheckpoint(again.checkpoint()), again.counts(), again.isFinished()]).toEqual([
      checkpoint,
      counts,
      true,
    ]);
    again.commit(nothing);
    expect([plainCheckpoint(again.checkpoint()), again.isFinished()]).toEqual([
      { ...checkpoint, open: [] },
      false,
    ]);
  });

  it('keeps retries, with or without text, whatever they contain', async () => {
    const words = fc.string({ unit: 'grapheme' });
    const bytes = fc.uint8Array({ minLength: 1 }).map((array) => Buffer.from(array));
    const endpointDeliveries = fc.array(
      fc.record({
        attempts: fc.nat(),
        firstAt: fc
          .maxSafeNat()
          .map((n) => n % 4e12)
          .map((ms) => ms + 0.5),
        status: fc.option(fc.constantFrom(503, 429)),
        error: fc.option(fc.constantFrom('timeout' as const, 'dns' as const)),
      }),
    );
    const rows = fc.array(
      fc.record({
        id: fc.integer({ min: 1, max: 50 }),
        dueAt: fc
          .maxSafeNat()
          .map((n) => n % 4e12)
          .map((ms) => ms + 0.5),
        offset: fc.maxSafeNat(),
        part: fc.nat(),
        text: fc.option(bytes),
        givenId: fc.option(words),
        user: words,
        endpointDeliveries,
        stamp: fc.oneof(
          fc.record({ messageId: words, writesMessageId: fc.boolean() }),
          fc.record({ messageId: words, writesMessageId: fc.boolean(), timestamp: words }),
        ),
      }),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(rows, async (changes) => {
        const given = new Map(changes.map((change) => [change.id, retry(change)]));
        const first = await open();
        first.commit({ ...nothing, putRetries: [...given.values()] });
        const store = await reopened(first);
        const byId = (a: RetryRow, b: RetryRow) => a.id - b.id;
        expect(store.earliestRetries(99).sort(byId)).toEqual([...given.values()].sort(byId));
        expect(store.lastRetryId()).toBe(Math.max(0, ...given.keys()));
        store.commit({ ...nothing, deleteRetries: [...given.keys()] });
        expect(store.retryCount()).toBe(0);
      }),
      { numRuns: 15 },
    );
  });

  it('returns retries by due time, and replaces one that failed again', async () => {
    const store = await open();
    const rows = [30, 10, 20].map((dueAt, i) => retry({ id: i + 1, dueAt, user: `u${i}` }));
    store.commit({ ...nothing, putRetries: rows });
    const dueTimes = (limit: number) => store.earliestRetries(limit).map(({ dueAt }) => dueAt);
    expect([dueTimes(2), store.retryUsers().sort()]).toEqual([
      [10, 20],
      ['u0', 'u1', 'u2'],
    ]);
    store.commit({ ...nothing, putRetries: [retry({ id: 2, dueAt: 40 })], deleteRetries: [3] });
    expect([dueTimes(9), store.retryCount(), store.lastRetryId()]).toEqual([[30, 40], 2, 2]);
    store.makeRetriesDue();
    expect(dueTimes(9)).toEqual([0, 0]);
  });

  it('keeps dead letters until they are in their file, and assigns no id twice', async () => {
    const store = await open();
    const [a, b, c] = ['a\n', 'b\n', 'c\n'].map((text) => Buffer.from(text)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    store.commit({ ...nothing, addDeadLetters: [a, b] });
    const again = await reopened(store);
    const stored = again.deadLetters();
    expect(stored.map(({ line }) => line)).toEqual([a, b]);
    again.commit(nothing, { written: stored[1]!.id });
    expect(again.deadLetters()).toEqual([]);
    again.commit({ ...nothing, addDeadLetters: [c, a] }, { written: stored[1]!.id, end: 70 });
    expect(again.deadLetters()).toEqual([
      { id: stored[1]!.id + 1, line: c, offset: 70 },
      { id: stored[1]!.id + 2, line: a, offset: 72 },
    ]);
  });

  it('is unchanged when a commit fails halfway', async () => {
    const store = await open();
    store.commit({ ...nothing, putRetries: [retry()] });
    const broken = {
      ...{ ...nothing, counts: { ...nothing.counts, delivered: 1 }, deleteRetries: [1] },
      putRetries: [retry({ id: 2, hash: null as unknown as string })],
    };
    expect(() => store.commit(broken)).toThrow();
    expect([store.counts().delivered, store.retryCount()]).toEqual([0, 1]);
    store.commit(nothing);
  });
});

describe('a state file that cannot be used', () => {
  /** A state of many pages, all of them in the database file itself. */
  async function filled(): Promise<string> {
    const store = await open();
    const putRetries = Array.from({ length: 500 }, (_, i) =>
      retry({ id: i + 1, text: Buffer.alloc(500, 'x') }),
    );
    store.commit({ ...nothing, putRetries });
    close(store);
    return store.path;
  }

  async function errorAt(path: string): Promise<EvfwdError> {
    const work = async () => {
      const store = await open(path);
      store.record();
      store.checkpoint();
      store.retryUsers();
      store.earliestRetries(1_000);
      store.deadLetters();
    };
    return work().then(
      () => Promise.reject(new Error('nothing was thrown')),
      (error: unknown) => error as EvfwdError,
    );
  }

  it.each<[string, (path: string) => void]>([
    ['garbage', (path) => writeFileSync(path, 'x'.repeat(10_000))],
    ['a short text', (path) => writeFileSync(path, 'hello')],
    ['truncated in its middle', (path) => truncateSync(path, 100_000)],
    ['truncated in its header', (path) => truncateSync(path, 50)],
    ['zeros in its middle', (path) => overwrite(path, 20 * 4096, Buffer.alloc(40 * 4096))],
    ['noise in its schema', (path) => overwrite(path, 100, Buffer.alloc(3_000, 0xa5))],
  ])('since it is %s is damaged: exit 2, with advice', async (_what, damage) => {
    const path = await filled();
    damage(path);
    const error = await errorAt(path);
    expect(error).toBeInstanceOf(UsageError);
    expect([error.code, error.exitCode]).toEqual(['state_damaged', exitCodes.usage]);
    expect(error.message).toBe(
      `${path}: this state file is damaged; restore it, or start over with --fresh`,
    );
  });

  it('since another version of evfwd created it is left unchanged: exit 2', async () => {
    const path = await filled();
    const database = await openDatabase(path);
    database.exec(`PRAGMA user_version = ${schemaVersion + 1}`);
    database.close();
    const before = readFileSync(path);
    const error = await errorAt(path);
    expect([error.code, error.exitCode]).toEqual(['state_version', exitCodes.usage]);
    expect(error.message).toMatch(
      /created by another version of evfwd .*; use that one, or start over with --fresh$/,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('since its folder is a file cannot be written: exit 6', async () => {
    const path = join(folderWith({ file: '' }), 'file', 'state.db');
    const error = await errorAt(path);
    expect(error).toBeInstanceOf(StateError);
    expect(error.exitCode).toBe(exitCodes.state);
    expect(error.message).toMatch(/state\.db: the state cannot be written \(ENOTDIR\)/);
  });

  it('since it is a folder cannot be written: exit 6', async () => {
    const path = folderWith();
    expect(await errorAt(path)).toBeInstanceOf(StateError);
  });

  it.skipIf(process.getuid?.() === 0)('since its folder is read-only: exit 6', async () => {
    const folder = join(folderWith(), 'read-only');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    expect(await errorAt(join(folder, 'state.db'))).toBeInstanceOf(StateError);
  });
});

describe('a commit that cannot be made', () => {
  it.each<[string, (path: string) => void]>([
    ['the file was removed', (path) => rmSync(path)],
    [
      'it was replaced by another file',
      (path) => {
        rmSync(path);
        appendFileSync(path, '');
      },
    ],
  ])('is exit 6: %s', async (_what, change) => {
    const store = await open();
    store.commit(nothing);
    // The old inode must not be given to the new file.
    change(store.path);
    expect(() => store.commit(nothing)).toThrow(
      `${store.path}: was removed while the import ran; run it again`,
    );
  });

  const canLimit = spawnSync('prlimit', ['--version']).status === 0;
  it.skipIf(!canLimit)('is exit 6 when the disk is full, and changes nothing', async () => {
    const store = await open();
    store.commit({ ...nothing, putRetries: [retry()] });
    const large = Array.from({ length: 100 }, (_, i) =>
      retry({ id: i + 2, text: Buffer.alloc(30_000) }),
    );
    limitFiles('1000000');
    let error: unknown;
    try {
      store.commit({ ...nothing, putRetries: large });
    } catch (caught) {
      error = caught;
    } finally {
      limitFiles('unlimited');
    }
    expect(error).toBeInstanceOf(StateError);
    expect((error as StateError).message).toMatch(
      /state\.db: the state cannot be written \(.*\); make room or make it writable, then run again$/,
    );
    expect((await reopened(store)).retryCount()).toBe(1);
  });
});

function overwrite(path: string, at: number, bytes: Buffer): void {
  const content = readFileSync(path);
  expect(content.length).toBeGreaterThan(at + bytes.length);
  bytes.copy(content, at);
  writeFileSync(path, content);
}

/** Limits the size of files that this process may write, in bytes, to simulate a full disk. */
function limitFiles(bytes: string): void {
  const { status } = spawnSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${bytes}:`]);
  expect(status).toBe(0);
}
