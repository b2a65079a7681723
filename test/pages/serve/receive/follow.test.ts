import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStreamReader } from '../../../../pages/serve/receive/follow.js';

describe('server-sent events', () => {
  it.each([
    ['event: a\ndata: {"x":1}\n\n', [{ event: 'a', data: '{"x":1}' }]],
    ['data:no space\n\n', [{ event: 'message', data: 'no space' }]],
    ['data: one\ndata: two\n\n', [{ event: 'message', data: 'one\ntwo' }]],
    [':\n\n: a comment\n\ndata: x\n\n', [{ event: 'message', data: 'x' }]],
    ['event: a\r\ndata: x\r\n\r\n', [{ event: 'a', data: 'x' }]],
    ['event: a\rdata: x\r\rdata: y\n\n', [{ event: 'a', data: 'x' }]],
    ['id: 7\nretry: 10\nevent: without data\n\n', []],
    ['data: not at its end\n', []],
    ['data: with: colons: in it\n\n', [{ event: 'message', data: 'with: colons: in it' }]],
  ])('of %j', (text, messages) => {
    expect(new EventStreamReader().push(text).slice(0, messages.length || 1)).toEqual(messages);
  });

  it('are the same however the stream is cut', () => {
    const line = fc.stringMatching(/^[^\r\n]*$/);
    fc.assert(
      fc.property(
        fc.array(line),
        fc.constantFrom('\n', '\r\n'),
        fc.infiniteStream(fc.nat(9)),
        (data, end, cuts) => {
          const text = data.map((part) => `event: e${end}data: ${part}${end}${end}`).join('');
          const reader = new EventStreamReader();
          const messages = [];
          for (let start = 0; start < text.length;) {
            const next: number = start + 1 + Number(cuts.next().value);
            messages.push(...reader.push(text.slice(start, next)));
            start = next;
          }
          expect(messages).toEqual(data.map((part) => ({ event: 'e', data: part })));
        },
      ),
    );
  });
});
