import { expect, it, vi } from 'vitest';
import { Counters } from '../../../src/serve/operations/counters.js';
import { overviewOf } from '../../../src/serve/operations/overview.js';
import type { Source } from '../../../src/serve/types.js';
import { batchOf, destinationOf, sourceOf } from '../batches.js';
import { scene } from '../forward/scene.js';

const url = 'http://127.0.0.1:9/hook';
const timeline = { lastMinute: () => ({ delivered: 0, failedAttempts: 0 }) };

it('is made in time that grows with the sources and destinations, not with their product', async () => {
  let reads = 0;
  const counted = (name: string, destinations: readonly string[]): Source => ({
    ...{ name, writeKey: name, isEnabled: true },
    get destinations() {
      reads++;
      return destinations;
    },
  });
  const names = Array.from({ length: 40 }, (_, i) => `d${i}`);
  const destinations = names.map((name) => destinationOf(url, { name }));
  const sources = Array.from({ length: 200 }, (_, i) => counted(`s${i}`, [`d${i % 40}`]));
  const { store, forwarder, clock } = await scene(destinations, { sources, starts: false });
  const all = vi.spyOn(store, 'counts');
  const routing = { sources, destinations };
  const configuration = { configured: routing, active: routing, at: 0, error: undefined };
  reads = 0;
  const overview = overviewOf({
    ...{ store, forwarder, counters: new Counters(), timeline, startedAt: clock.now() },
    configuration: () => configuration,
  });
  expect(overview.destinations[1]!.sources).toEqual(['s1', 's41', 's81', 's121', 's161']);
  expect(reads).toBeLessThanOrEqual(2 * sources.length);
  expect(all).not.toHaveBeenCalled();
});

it('counts the repeated events of each source, and what was received before a restart', async () => {
  const sources = ['a', 'b'].map((name) => sourceOf({ name, destinations: ['crm'] }));
  const routing = { sources, destinations: [destinationOf(url)] };
  const first = await scene(routing.destinations, { sources, starts: false });
  const overview = ({ store, forwarder }: Pick<typeof first, 'store' | 'forwarder'>) =>
    overviewOf({
      ...{ store, forwarder, counters: new Counters(), timeline, startedAt: 0 },
      configuration: () => ({ configured: routing, active: routing, at: 0, error: undefined }),
    });
  expect(overview(first).hasReceived).toBe(false);
  for (const source of [sources[0]!, sources[0]!, sources[0]!, sources[1]!]) {
    const taken = first.forwarder.accept(batchOf(['m1'], source));
    first.store.commit();
    await taken;
  }
  const repeated = (one: typeof first) => overview(one).sources.map((source) => source.repeated);
  expect(repeated(first)).toEqual([2, 0]);
  await first.stop();
  const { folder, clock } = first;
  const second = await scene(routing.destinations, { sources, starts: false, folder, clock });
  expect([overview(second).hasReceived, repeated(second)]).toEqual([true, [2, 0]]);
});
