import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keep, restore } from '../../src/listen/kept-request.js';
import { unchecked } from '../../src/listen/judged.js';
import { responseFor } from '../../src/listen/planned-response.js';
import { received } from './listening.js';

/** Node reads headers as Latin-1; a value may be empty. */
const headerText = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
});

describe('a kept request', () => {
  it('is restored as it was, with each member', () => {
    const headers = fc.array(fc.tuple(headerText, headerText)).map((pairs) => pairs.flat());
    fc.assert(
      fc.property(headers, fc.webPath(), fc.string(), (list, path, body) => {
        const request = received({
          ...{ headers: list, path, body: Buffer.from(body), sequence: 7, durationMs: 1.5 },
          ...{
            ...unchecked,
            signature: 'invalid',
            reason: 'mismatch',
            webhookId: 'a',
            signedAt: 3,
          },
          ...{ response: { ...responseFor(undefined), status: 503 }, fault: 'status=503' },
          ...{ isDuplicate: true, isTooLarge: true, bytes: 9, receivedAt: 5, startedAt: 2.5 },
        });
        expect(restore(keep(request))).toEqual(request);
      }),
    );
  });
});
