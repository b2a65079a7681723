import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../../src/store/postgres/unavailable.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { until } from '../../serving.js';
import {
  aroundTransactions,
  delivered,
  ended,
  failed,
  laneOf,
  postponed,
  put,
  serviceStore,
} from './lane-user.js';
import { countOf, isDrained, rowsOf } from './sharing.js';

const storeOf = sharedPostgres();

/** A promise that a test resolves. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

describe('outcomes of a store that instances share', () => {
  it('keeps what ends of a block while a part of it is being stored', async () => {
    const { shared, store } = await serviceStore(await storeOf());
    await put(store, ['m1', 'm2']);
    const { lane, taken } = laneOf(store);
    const [first, second] = [await taken(), await taken()];
    const [begins, goesOn] = [gate(), gate()];
    aroundTransactions(shared, async (begin) => {
      begins.open();
      await goesOn.passed;
      return begin();
    });
    const isFirstStored = ended(lane, first, delivered);
    await begins.passed;
    const isSecondStored = ended(lane, second, postponed(shared.database.now() + 60_000, 60_000));
    goesOn.open();
    await Promise.all([isFirstStored, isSecondStored]);
    expect(await rowsOf({ shared }, 'retry_batch')).toHaveLength(1);
    expect(await countOf({ shared }, 'delivered')).toBe(1);
  });

  it('keeps what has ended when it is made durable twice at the same time', async () => {
    const { shared, store } = await serviceStore(await storeOf());
    await put(store, ['m1']);
    const { lane, taken } = laneOf(store);
    const event = await taken();
    let n = 0;
    aroundTransactions(shared, async (begin) => {
      // The first one is the last.
      if (n++ === 0) await new Promise((resolve) => setTimeout(resolve, 200));
      return begin();
    });
    lane.end({ event, ending: failed, onCommitted: () => undefined });
    await Promise.all([store.commit(), store.commit()]);
    await until(() => isDrained({ shared }), Boolean);
    expect(await rowsOf({ shared }, 'dead_letter')).toHaveLength(1);
  });

  it('stores a part of a block once when its commit had no answer', async () => {
    const { shared, store } = await serviceStore(await storeOf());
    await put(store, ['m1', 'm2', 'm3']);
    const { lane, taken } = laneOf(store);
    const events = [await taken(), await taken(), await taken()];
    let n = 0;
    aroundTransactions(shared, async (begin) => {
      const result = await begin();
      if (n++ === 0) throw new StoreUnavailable('lost', 'the connection broke');
      return result;
    });
    const due = shared.database.now();
    await Promise.all([
      ended(lane, events[0]!, failed),
      ended(lane, events[1]!, postponed(due + 60_000, 60_000)),
    ]);
    expect(n).toBeGreaterThan(1);
    expect(await rowsOf({ shared }, 'dead_letter')).toHaveLength(1);
    expect(await rowsOf({ shared }, 'retry_batch')).toHaveLength(1);
    expect(await countOf({ shared }, 'failed')).toBe(1);
    await ended(lane, events[2]!, delivered);
    expect(await countOf({ shared }, 'delivered')).toBe(1);
    expect(await rowsOf({ shared }, 'event_block')).toEqual([]);
  });

  it('gives back a block whose outcome could not be stored in time', async () => {
    const at = await storeOf();
    const { shared, store } = await serviceStore(at);
    await put(store, ['m1']);
    const { lane, taken } = laneOf(store);
    const event = await taken();
    let isAway = true;
    aroundTransactions(shared, (begin) =>
      isAway ? Promise.reject(new StoreUnavailable('lost', 'no response')) : begin(),
    );
    let isCommitted = false;
    lane.end({ event, ending: delivered, onCommitted: () => (isCommitted = true) });
    // The lease goes on, as the server is there for it.
    const again = await taken();
    isAway = false;
    expect(isCommitted).toBe(false);
    expect(again.id).toBe(event.id);
    await ended(lane, again, delivered);
    expect(await isDrained({ shared })).toBe(true);
    expect(await countOf({ shared }, 'delivered')).toBe(1);
  });

  it('keeps nothing of a block from being stored by another one that cannot be', async () => {
    const { shared, store, defects } = await serviceStore(await storeOf());
    await put(store, ['m1']);
    await put(store, ['m2']);
    const { lane, taken } = laneOf(store);
    const [first, second] = [await taken(), await taken()];
    // PostgreSQL takes no text with it.
    const unstorable = { code: 'a\0b', message: '', attempts: 1, lastStatus: null };
    lane.end({
      event: first,
      ending: { kind: 'failed', failure: unstorable },
      onCommitted: () => undefined,
    });
    await ended(lane, second, delivered);
    await until(() => Promise.resolve(defects.length), Boolean);
    expect(await countOf({ shared }, 'delivered')).toBe(1);
    expect(await rowsOf({ shared }, 'queued_block')).toHaveLength(1);
  });

  it('refuses what is said of a block that the same instance has lost, and taken again', async () => {
    const at = await storeOf();
    const { shared, store } = await serviceStore(at);
    await put(store, ['m1', 'm2']);
    const { lane, taken } = laneOf(store);
    const first = await taken();
    await taken();
    lane.end({ event: first, ending: delivered, onCommitted: () => undefined });
    // As the supervision of another instance does, of which this one has not heard yet.
    await at.server.sql(
      `UPDATE ${at.schema}_jobs.job SET state = 'retry', heartbeat_on = NULL WHERE state = 'active'`,
    );
    await put(store, ['m3']);
    const again = await taken();
    expect(again.id).toBe(first.id);
    const isStored = ended(lane, again, delivered);
    await store.commit();
    await isStored;
    expect(await countOf({ shared }, 'delivered')).toBe(1);
  });

  it('knows the source that an instance with a newer configuration has added', async () => {
    const at = await storeOf();
    const [one, other] = [await serviceStore(at), await serviceStore(at)];
    const { taken } = laneOf(other.store);
    await put(one.store, ['m1'], { from: 'app' });
    expect((await taken()).source).toBe('app');
  });
});
