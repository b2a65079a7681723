import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { EventQueue } from '../../../../src/serve/store/sqlite/event-queue.js';
import { NameTable } from '../../../../src/serve/store/sqlite/name-table.js';
import { stateOfService } from '../../../../src/serve/store/sqlite/schema.js';
import type { StoredEvent } from '../../../../src/serve/store/stored.js';
import { StateFile } from '../../../../src/storage/state-file.js';
import { eventOf } from '../../../helpers/events.js';
import { folderWith } from '../../../helpers/folder.js';
import { runs } from '../../../helpers/property-runs.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';

const destinations = [1, 2, 3];

const opened: StateFile[] = [];
afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
});

async function openState() {
  const connection = await StateFile.open(join(folderWith(), 'serve.db'), stateOfService);
  opened.push(connection);
  return connection;
}

function queueIn(connection: StateFile): EventQueue {
  const nameTable = new NameTable(connection);
  return new EventQueue({ connection, clock: new VirtualClock(), nameTable });
}

type Failure = 'before the queue is written' | 'afterwards' | undefined;

/** Runs `work` in a transaction, which may be rolled back. */
function commit(connection: StateFile, queue: EventQueue, work: () => void, fails?: Failure): void {
  try {
    connection.transaction(() => {
      work();
      if (fails === 'before the queue is written') throw new Error('rolled back');
      queue.write();
      if (fails) throw new Error('rolled back');
    });
    queue.committed();
  } catch (error) {
    queue.rolledBack();
    if (!fails) throw error;
  }
}

function newEvent(index: number, bytes = 0) {
  const properties = { text: 'x'.repeat(bytes) };
  const event = eventOf({ messageId: `m${index}`, properties });
  return {
    ...{ source: 7, receivedAt: index, event },
    stamp: { messageId: `m${index}`, writesMessageId: false },
  };
}

const endpointDeliveries = [{ attempts: 1, firstAt: 1, status: null, error: null }];
const retry = { endpointDeliveries, dueAt: 5, delayMs: 4, code: 'timeout', message: 'timed out' };

function postpone(queue: EventQueue, destination: number, event: StoredEvent): void {
  queue.postpone(destination, event, retry);
}

/** Ids of what waits for a destination: without an attempt, and for a retry. */
function waitingFor(connection: StateFile, queue: EventQueue, destination: number) {
  const sql = `SELECT e.id FROM retry r JOIN retry_event e ON e.id = r.event
    WHERE r.destination = ? ORDER BY e.id`;
  const queued = queue.notAttempted(destination, 0, 10_000).map(({ id }) => id);
  const retries = connection.all(sql, destination).map(({ id }) => Number(id));
  return { queued, retries };
}

function rowsIn(connection: StateFile): number[] {
  const tables = ['event_block', 'queued_block', 'retry_event', 'retry'];
  return tables.map((table) => Number(connection.get(`SELECT count(*) AS n FROM ${table}`)!.n));
}

describe('a queue', () => {
  const some = fc.subarray(destinations, { minLength: 1 });
  const step = fc.record({
    fails: fc.constantFrom(undefined, undefined, 'before the queue is written', 'afterwards'),
    restarts: fc.constantFrom(false, false, true),
    added: fc.array(fc.tuple(some, fc.constantFrom(0, 0, 0, 30_000)), { maxLength: 300 }),
    /** Positions among all events so far. */
    removed: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...destinations)), { maxLength: 200 }),
    postponed: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...destinations)), { maxLength: 100 }),
  });

  it('has what was added and not removed, in order, through failures and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const connection = await openState();
        let queue = queueIn(connection);
        /** Of each destination, by id: whether it waits for a retry. */
        let model = new Map(destinations.map((one) => [one, new Map<number, boolean>()]));
        const events: StoredEvent[] = [];
        for (const { fails, restarts, added, removed, postponed } of steps) {
          if (restarts) queue = queueIn(connection);
          const next = new Map([...model].map(([one, waiting]) => [one, new Map(waiting)]));
          const fresh: StoredEvent[] = [];
          commit(
            connection,
            queue,
            () => {
              for (const [at, destination] of postponed) {
                const event = events[at % events.length];
                if (!event) continue;
                postpone(queue, destination, event);
                const waiting = next.get(destination)!;
                if (waiting.has(event.id)) waiting.set(event.id, true);
              }
              for (const [at, destination] of removed) {
                const event = events[at % events.length];
                if (!event) continue;
                const wasThere = next.get(destination)!.delete(event.id);
                expect(queue.remove(destination, event.id)).toBe(wasThere);
              }
              for (const [to, bytes] of added) {
                const event = queue.add(newEvent(events.length, bytes), to);
                fresh.push(event);
                for (const destination of to) next.get(destination)!.set(event.id, false);
              }
            },
            fails,
          );
          if (!fails) {
            model = next;
            events.push(...fresh);
          }
          for (const [destination, waiting] of model) {
            const all = [...waiting].sort(([one], [other]) => one - other);
            const ids = (isRetry: boolean) =>
              all.filter(([, retries]) => retries === isRetry).map(([id]) => id);
            const expected = { queued: ids(false), retries: ids(true) };
            expect(waitingFor(connection, queue, destination)).toEqual(expected);
            expect(queue.lengths.of(destination)).toEqual({
              waiting: all.length,
              retrying: expected.retries.length,
            });
          }
        }
        commit(connection, queue, () => {
          for (const [destination, waiting] of model) {
            for (const id of waiting.keys()) expect(queue.remove(destination, id)).toBe(true);
          }
        });
        expect(rowsIn(connection)).toEqual([0, 0, 0, 0]);
      }),
      { numRuns: runs(60, 15) },
    );
  });

  it('has blocks of up to 128 events and 64 KiB, all for the same destinations', async () => {
    const connection = await openState();
    const queue = queueIn(connection);
    const blocks = () =>
      connection.all('SELECT length(bytes) AS n FROM event_block ORDER BY last_id');
    const small = newEvent(0).event.bytes.length;
    commit(connection, queue, () => {
      for (let i = 0; i < 300; i++) queue.add(newEvent(0), [1, 2]);
      for (const to of [[1], [1], [2, 1], [2]]) queue.add(newEvent(0), to);
    });
    const counts = blocks().map(({ n }) => Number(n) / small);
    expect(counts).toEqual([128, 128, 44, 2, 1, 1]);
    commit(connection, queue, () => {
      for (let i = 0; i < 3; i++) queue.add(newEvent(0, 30_000), [1]);
      queue.add(newEvent(0), [1]);
    });
    const large = blocks().slice(6);
    expect(large.map(({ n }) => Math.floor(Number(n) / 10_000))).toEqual([6, 3]);
  });

  it('never gives an id twice, also after it was emptied and opened again', async () => {
    const connection = await openState();
    const ids: number[] = [];
    for (let i = 0; i < 4; i++) {
      const queue = queueIn(connection);
      commit(connection, queue, () => {
        for (let j = 0; j < 3; j++) ids.push(queue.add(newEvent(j), [1]).id);
      });
      commit(connection, queue, () => {
        for (const id of ids) queue.remove(1, id);
      });
    }
    expect(ids).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  it('keeps an event that waits for a retry without the block that it came in', async () => {
    const connection = await openState();
    const queue = queueIn(connection);
    const added: StoredEvent[] = [];
    commit(connection, queue, () => {
      for (let i = 0; i < 100; i++) added.push(queue.add(newEvent(i), [1, 2]));
    });
    commit(connection, queue, () => {
      for (const destination of [1, 2]) {
        for (const event of added.slice(1)) queue.remove(destination, event.id);
        postpone(queue, destination, added[0]!);
      }
    });
    expect(rowsIn(connection)).toEqual([0, 0, 1, 2]);
    const row = connection.get('SELECT bytes, queued_at FROM retry_event')!;
    expect(Buffer.from(row.bytes as Uint8Array)).toEqual(added[0]!.event.bytes);
    expect(Number(row.queued_at)).toBe(added[0]!.queuedAt);
  });

  it('returns at most as many events as asked for, and continues within a block', async () => {
    const connection = await openState();
    const queue = queueIn(connection);
    commit(connection, queue, () => {
      for (let i = 0; i < 300; i++) queue.add(newEvent(i), [1]);
    });
    const found: number[] = [];
    for (let page = queue.notAttempted(1, 0, 70); page.length > 0;) {
      expect(page.length).toBeLessThanOrEqual(70);
      found.push(...page.map(({ receivedAt }) => receivedAt));
      page = queue.notAttempted(1, page.at(-1)!.id, 70);
    }
    expect(found).toEqual(Array.from({ length: 300 }, (_, i) => i));
  });
});

describe('a block that is damaged while its events are in memory', () => {
  it('is not in the way of those: they end, and wait for retries', async () => {
    const connection = await openState();
    const queue = queueIn(connection);
    commit(connection, queue, () => {
      for (let i = 0; i < 4; i++) queue.add(newEvent(i), [1]);
    });
    const [first, second, third] = queue.notAttempted(1, 0, 3);
    connection.transaction(() => connection.run("UPDATE event_block SET entries = '['"));
    expect(queue.notAttempted(1, third!.id, 3)).toEqual([]);
    commit(connection, queue, () => undefined);
    expect([queue.damaged.setAside, queue.lengths.of(1)]).toEqual([
      { blocks: 1, events: 4 },
      { waiting: 0, retrying: 0 },
    ]);
    commit(connection, queue, () => {
      expect(queue.remove(1, first!.id)).toBe(true);
      postpone(queue, 1, second!);
    });
    expect(waitingFor(connection, queue, 1)).toEqual({ queued: [], retries: [second!.id] });
    expect(queue.lengths.of(1)).toEqual({ waiting: 1, retrying: 1 });
    expect(queueIn(connection).lengths.of(1)).toEqual({ waiting: 1, retrying: 1 });
    expect(queue.damaged.setAside).toEqual({ blocks: 1, events: 2 });
    commit(connection, queue, () => {
      for (const { id } of [first!, second!]) expect(queue.remove(1, id)).toBe(id === second!.id);
    });
    expect(rowsIn(connection)).toEqual([1, 1, 0, 0]);
  });

  it('is set aside by a later transaction when the first is rolled back', async () => {
    const connection = await openState();
    const queue = queueIn(connection);
    commit(connection, queue, () => queue.add(newEvent(1), [1]));
    connection.transaction(() => connection.run("UPDATE event_block SET entries = '['"));
    expect(queue.notAttempted(1, 0, 3)).toEqual([]);
    commit(connection, queue, () => undefined, 'afterwards');
    expect(queue.lengths.of(1).waiting).toBe(1);
    commit(connection, queue, () => undefined);
    expect([queue.lengths.of(1).waiting, queue.damaged.setAside.blocks]).toEqual([0, 1]);
  });
});
