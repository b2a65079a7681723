import { Analytics } from '@segment/analytics-node';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.js';
import { bodyOf, startCollecting } from './collecting.js';

it('accepts each event of the published client for Node.js once', async () => {
  const api = await startCollecting({ clock: systemClock });
  const analytics = new Analytics({ writeKey: 'k1', host: api.url, flushAt: 4, flushInterval: 50 });
  const errors: unknown[] = [];
  analytics.on('error', (error) => errors.push(error));
  const timestamp = new Date('2012-12-02T00:30:08.276Z');
  const properties = { name: 'Zoë 漢字 😀', nested: { a: [1, 'two', null, true] }, f: 1e21 };
  analytics.track({ userId: 'u', event: 'Order ✓', properties, timestamp, messageId: 'm-1' });
  analytics.identify({ anonymousId: 'a', traits: { plan: 'pro' }, context: { ip: '24.5.68.47' } });
  analytics.page({ userId: 'u', name: 'Home', category: 'Docs' });
  analytics.screen({ userId: 'u', name: 'Main' });
  analytics.group({ userId: 'u', groupId: 'g', traits: { employees: 420 } });
  analytics.alias({ userId: 'u', previousId: 'a' });
  for (let i = 0; i < 100; i++) analytics.track({ userId: 'u', event: `e${i}` });
  await analytics.closeAndFlush();
  expect(errors).toEqual([]);
  expect(api.rejected).toEqual([]);
  const bodies = api.accepted.map(bodyOf);
  expect(bodies.length).toBe(106);
  expect(new Set(bodies.map(({ messageId }) => messageId)).size).toBe(106);
  const find = (type: string) => bodies.find((body) => body.type === type);
  expect(find('track')).toMatchObject({
    userId: 'u',
    event: 'Order ✓',
    properties,
    timestamp: timestamp.toISOString(),
    context: { library: { name: '@segment/analytics-node' } },
  });
  expect(find('identify')).toMatchObject({
    anonymousId: 'a',
    traits: { plan: 'pro' },
    context: { ip: '24.5.68.47' },
  });
  expect(find('page')).toMatchObject({ name: 'Home', category: 'Docs' });
  expect(find('screen')).toMatchObject({ name: 'Main' });
  expect(find('group')).toMatchObject({ groupId: 'g', traits: { employees: 420 } });
  expect(find('alias')).toMatchObject({ 'User ID': 'u', 'Previous ID': 'a' });
});
