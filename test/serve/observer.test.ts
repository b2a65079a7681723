import { expect, it } from 'vitest';
import { Observer } from '../../src/serve/observer.js';
import { DeletedUsers } from '../../src/serve/store/deleted-users.js';
import { DeliveryLog } from '../../src/serve/store/delivery-log.js';
import { folderWith } from '../helpers/folder.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

it('a state that cannot be read is logged once a minute, also at the end', () => {
  const clock = new VirtualClock();
  const logged: string[] = [];
  const add = (_: object, message: string): void => void logged.push(message);
  const observer = new Observer({
    clock,
    log: { debug: add, info: add, warn: add, error: add },
    deliveryLog: new DeliveryLog({ folder: folderWith(), clock, deletedUsers: new DeletedUsers() }),
    onChange: () => undefined,
    readings: () => ({ isStateOk: true, destinations: [], deadLetters: new Map() }),
    waiting: () => new Map(),
    damagedBlocks: () => 0,
  });
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
