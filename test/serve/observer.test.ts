import { expect, it } from 'vitest';
import { StateError } from '../../src/errors.js';
import { RawRequest, type RawHead } from '../../src/serve/raw/raw-request.js';
import type { Log } from '../../src/serve/log.js';
import { Observer } from '../../src/serve/observer.js';
import { DeletedUsers } from '../../src/serve/store/deleted-users.js';
import { DeliveryLog } from '../../src/serve/store/delivery-log.js';
import { StoreUnavailable } from '../../src/store/postgres/unavailable.js';
import { folderWith } from '../helpers/folder.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { receivedAt, sourceOf } from './batches.js';

const head: RawHead = {
  ...{ method: 'POST', path: '/in/web', sourcePathLength: 7, headers: [], remoteAddress: null },
  ...{ isTls: false, signature: 'unchecked', scheme: null, reason: null },
};

it('a request that repeats another is not shown in its place, and one that is taken anew is', () => {
  const clock = new VirtualClock();
  const observer = observing(clock);
  const comes = (body: string, isRepeated: boolean): string | undefined => {
    const event = RawRequest.of(head, Buffer.from(body), 'web');
    const accepted = { event, stamp: { messageId: 'd1', writesMessageId: false } };
    const batch = { source: sourceOf(), receivedAt, accepted: [accepted], rejected: [] };
    if (isRepeated) observer.listener.onRepeated!(accepted, batch);
    observer.addBatch(batch, { sources: [], destinations: [] });
    return observer.requests.get('web', 'd1')?.body.toString();
  };
  // The first one was received before a restart, or is no longer in memory.
  expect(comes('a repeat', true)).toBeUndefined();
  expect(comes('taken', false)).toBe('taken');
  expect(comes('a repeat', true)).toBe('taken');
  expect(comes('taken after a dead letter', false)).toBe('taken after a dead letter');
  observer.end();
});

it('an attempt is logged with its duration to microseconds', () => {
  const fields: object[] = [];
  const observer = observing(new VirtualClock(), { debug: (line) => void fields.push(line) });
  const result = { at: 0, url: 'http://h/', attempt: 1, status: 200, error: null } as const;
  const attempt = { ...result, verdict: 'delivered', durationMs: 1.2345678901 } as const;
  observer.listener.onAttempt!('crm', attempt, 'm1');
  expect(fields).toMatchObject([{ messageId: 'm1', durationMs: 1.235 }]);
  observer.end();
});

it('a state that cannot be read is logged once a minute, also at the end', () => {
  const clock = new VirtualClock();
  const logged: string[] = [];
  const add = (_: object, message: string): void => void logged.push(message);
  const observer = observing(clock, { debug: add, info: add, warn: add, error: add });
  const fail = (): void => {
    for (let i = 0; i < 40; i++) observer.listener.onFailure!(new Error('disk I/O error'));
  };
  fail();
  expect(logged).toEqual(['the state cannot be read; will retry']);
  clock.advance(60_000);
  expect(logged).toHaveLength(2);
  fail();
  observer.addDamaged('crm', 3);
  observer.addDamaged('crm', 3);
  observer.end();
  expect(logged).toHaveLength(3);
  expect(clock.waits).toEqual([]);
});

it('a store that is away is left to its own line', () => {
  const logged: string[] = [];
  const observer = observing(new VirtualClock(), { error: (_, text) => void logged.push(text) });
  const lost = new StoreUnavailable('lost', 'connection refused');
  observer.listener.onFailure!(lost);
  observer.listener.onFailure!(new StateError(`${lost.problem}; waiting for it`, { cause: lost }));
  observer.end();
  expect(logged).toEqual([]);
});

function observing(clock: VirtualClock, log: Partial<Log> = {}): Observer {
  const ignore = (): void => undefined;
  return new Observer({
    clock,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore, ...log },
    deliveryLog: new DeliveryLog({ folder: folderWith(), clock, deletedUsers: new DeletedUsers() }),
    onChange: ignore,
    readings: () => ({ isStateOk: true, destinations: [], deadLetters: new Map() }),
    waiting: () => new Map(),
    damagedBlocks: () => 0,
  });
}
