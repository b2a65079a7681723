import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blockOf, eventsOfBlock, eventOfBlock } from '../../../src/serve/store/event-block.js';
import { runs } from '../../helpers/property-runs.js';
import { eventOf, track } from '../../helpers/events.js';

const text = fc.string({ unit: 'binary' });
const event = fc.record({
  source: fc.nat(1_000),
  receivedAt: fc.integer({ min: 0, max: 2 ** 42 }),
  event: text.map((name) => eventOf({ ...track, event: `E${name}` })),
  stamp: fc.record(
    { messageId: text, writesMessageId: fc.boolean(), timestamp: text },
    { requiredKeys: ['messageId', 'writesMessageId'] },
  ),
});

it('a block returns its events, byte for byte and with their ids', () => {
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 40 }),
      fc.nat(2 ** 40),
      (events, before) => {
        const last = before + events.length;
        const row = { last_id: last, queued_at: 17, ...blockOf(events) };
        const expected = events.map(({ event: { bytes }, ...rest }, i) => ({
          ...{ id: before + 1 + i, ...rest, queuedAt: 17 },
          bytes: Buffer.from(bytes),
        }));
        expect(eventsOfBlock(row)).toEqual(expected);
      },
    ),
    { numRuns: runs(200, 50) },
  );
});

it('an event of a block is one that can be sent, with the name of its source', () => {
  const given = { source: 3, receivedAt: 5, event: eventOf(), stamp: stampOf('m1') };
  const [found] = eventsOfBlock({ last_id: 9, queued_at: 7, ...blockOf([given]) });
  const { event: read, ...rest } = eventOfBlock(found!, 'web');
  expect(rest).toEqual({
    ...{ id: 9, source: 'web', receivedAt: 5, queuedAt: 7 },
    stamp: stampOf('m1'),
  });
  expect([read.type, read.bytes]).toEqual(['track', given.event.bytes]);
});

function stampOf(messageId: string) {
  return { messageId, writesMessageId: false };
}
