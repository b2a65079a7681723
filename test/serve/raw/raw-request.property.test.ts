import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventOf } from '../../../src/serve/store/stored.js';
import { packBlock, unpackBlock } from '../../../src/serve/store/postgres/codec.js';
import { RawRequest, rawOf, type RawHead } from '../../../src/serve/raw/raw-request.js';
import { runs } from '../../helpers/property-runs.js';

const latin1 = fc
  .uint8Array({ maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));

const heads: fc.Arbitrary<RawHead> = fc.record({
  method: fc.constantFrom('POST', 'PROPFIND'),
  path: latin1,
  sourcePathLength: fc.nat(40),
  headers: fc.array(fc.tuple(latin1, latin1)).map((pairs) => pairs.flat()),
  remoteAddress: fc.option(fc.constant('::1')),
  isTls: fc.boolean(),
  signature: fc.constantFrom('valid', 'unchecked'),
  scheme: fc.option(fc.constant('github')),
  reason: fc.option(fc.constant('mismatch')),
});

it('a stored request has its head and every byte of its body, alone and in a block', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(heads, fc.uint8Array())), (requests) => {
      const made = requests.map(([head, body]) => RawRequest.of(head, Buffer.from(body), 's'));
      const block = packBlock(
        made.map((event, n) => ({
          ...{ source: 1, receivedAt: 0, event },
          stamp: { messageId: `m${n}`, writesMessageId: false },
        })),
      );
      const unpacked = unpackBlock({ id: 1, queuedAt: 0, body: block }, () => 's');
      for (const [n, [head, body]] of requests.entries()) {
        for (const event of [eventOf(made[n]!.bytes, 's'), unpacked[n]!.event]) {
          expect(rawOf(event).head).toEqual(head);
          expect(rawOf(event).body).toEqual(Buffer.from(body));
        }
      }
    }),
    { numRuns: runs(300) },
  );
});

it('an event is never taken for a request', () => {
  expect(eventOf(Buffer.from('{"type":"track"}'), '').type).toBe('track');
  expect(() => eventOf(Buffer.from('["POST"]\n'), '')).toThrow('damaged');
});
