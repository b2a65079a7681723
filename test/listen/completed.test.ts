import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompletedRequest } from '../../src/listen/completed.js';
import { unchecked } from '../../src/receive/checked-signature.js';
import { notesOf } from '../../src/listen/notes.js';
import { responseFor } from '../../src/listen/planned-response.js';
import { answerWith } from '../../src/listen/stages/stage.js';
import { received } from './listening.js';

function completed(headers: readonly string[], path = '/hook', body = 'text'): CompletedRequest {
  const incoming = received({ headers, path, body: Buffer.from(body) });
  const notes = notesOf(incoming.body, path);
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const exchange = { incoming, notes, checked: unchecked, response };
  return new CompletedRequest(exchange, answerWith(responseFor(undefined)), {
    id: 'run-1',
    sequence: 1,
  });
}

describe('a completed request', () => {
  it('has the headers as received, in any characters of HTTP', () => {
    const character = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code));
    const text = fc.string({ unit: character });
    const headers = fc.array(fc.tuple(text, text)).map((pairs) => pairs.flat());
    fc.assert(
      fc.property(headers, (list) => {
        expect(completed(list).headers).toEqual(list);
      }),
    );
  });

  it('counts its headers, its path and its body as memory', () => {
    const less = completed(['X', 'x'], '/a', 'b').keptBytes;
    const more = completed(['X', 'x'.repeat(101)], `/${'a'.repeat(1001)}`, 'b'.repeat(10_001));
    expect(more.keptBytes - less).toBe(11_100);
  });
});
