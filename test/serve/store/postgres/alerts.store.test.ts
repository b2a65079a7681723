import { expect, it } from 'vitest';
import { PostgresAlertStates } from '../../../../src/serve/store/postgres/alert-states.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { startReceiver } from '../../../helpers/receiver.js';
import { testStore } from '../../../helpers/shared-store.js';
import { simple, track, until } from '../../serving.js';
import { sharing } from './sharing.js';

const storeOf = sharedPostgres();

it('of several instances, one sends the alert that a destination is down, and one that it is back', async () => {
  let status = 503;
  const crm = await startReceiver(() => ({ status }));
  const chat = await startReceiver();
  const routing = simple(crm.url, { alerts: { url: chat.url, afterMs: 1000 } });
  const all = await sharing(await storeOf(), routing, 3);
  await all[0]!.send([track(1)]);
  await chat.atLeast(1);
  const states = new PostgresAlertStates(all[0]!.shared);
  await until(
    async () => (await states.read()).get('crm')!,
    ({ isDown }) => isDown,
  );
  // The minute after it is over.
  const { database, schema } = all[0]!.shared;
  await database.query(`UPDATE ${schema}.alert SET at = at - 60000`);
  status = 200;
  await all[1]!.send([track(2)]);
  await chat.atLeast(2);
  await until(
    async () => (await states.read()).get('crm')!,
    ({ isDown }) => !isDown,
  );
  expect(chat.json().map(({ kind }) => kind as string)).toEqual(['down', 'up']);
});

it('of several instances, one sends the alert about dead letters, whichever had the events', async () => {
  const crm = await startReceiver(() => ({ status: 400 }));
  const chat = await startReceiver();
  const routing = simple(crm.url, { alerts: { url: chat.url, afterMs: 900_000 } });
  const all = await sharing(await storeOf(), routing, 2);
  await Promise.all(all.map(({ send }, i) => send([track(2 * i), track(2 * i + 1)])));
  const states = new PostgresAlertStates(all[0]!.shared);
  const counted = async (): Promise<number> => {
    const reported = (await states.read()).get('crm')!;
    if (reported.at > 0) await states.set('crm', { ...reported, at: 0 });
    const letters = chat.json() as { counts: { newDeadLetters: number } }[];
    return letters.reduce((sum, { counts }) => sum + counts.newDeadLetters, 0);
  };
  expect(await until(counted, (count) => count >= 4)).toBe(4);
});

it('a minute is claimed once over all that ask, and only for what is still news', async () => {
  const at = await storeOf();
  const opened = await Promise.all([testStore(at), testStore(at)]);
  const [one, other] = opened.map(({ store }) => new PostgresAlertStates(store));
  await Promise.all([one!.begin('crm', 7), other!.begin('crm', 9)]);
  const known = (await one!.read()).get('crm')!;
  expect([7, 9]).toContain(known.lastDeadLetter);
  const claims = Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other)!.claim('crm', known));
  expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
  const reported = { isDown: true, since: 5, lastDeadLetter: 9, certificateEnd: 3, at: 0 };
  await one!.set('crm', reported);
  expect(await other!.claim('crm', known)).toBe(false);
  // The minute is that of the claim, by the clock of the store, whatever that of an instance says.
  const stored = (await other!.read()).get('crm')!;
  expect(stored).toEqual({ ...reported, at: expect.any(Number) as number });
  expect(await other!.claim('crm', stored)).toBe(false);
  const { database, schema } = opened[0].store;
  await database.query(`UPDATE ${schema}.alert SET at = at - 60000`);
  expect(await other!.claim('crm', stored)).toBe(true);
});
