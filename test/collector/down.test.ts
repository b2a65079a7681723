import { expect, it } from 'vitest';
import { CollectorTarget } from '../../src/collector/target.js';
import { stampFresh } from '../../src/events/stamp.js';
import { eventOf } from '../helpers/events.js';
import { startRawServer, reply } from '../helpers/raw-server.js';

it('a collector that is down is reported with the reason', async () => {
  const server = await startRawServer({ response: () => reply(503) });
  const changes: unknown[] = [];
  const target = new CollectorTarget({
    ...{ writeKey: 'k', endpoint: server.url, flushAt: 1, returnsRetries: true },
    onDown: (url, isDown, reason) => changes.push([url, isDown, reason?.status]),
  });
  for (let i = 0; i < 64; i++) {
    const event = eventOf();
    target.send({ event, stamp: stampFresh(event, 0) }, () => undefined);
  }
  await target.drain();
  expect(changes).toEqual([[server.url, true, 503]]);
  await target.close();
});
