import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageText, writeText } from '../../src/collector/message-text.js';
import { isProblem, type Event } from '../../src/events/event.js';
import { scanMembers } from '../../src/json/members.js';
import { parseEvent } from '../../src/events/parse.js';
import type { Stamp } from '../../src/events/stamp.js';

function read(text: string): Event {
  const event = parseEvent(Buffer.from(text), { file: 'f', line: 1, offset: 0, length: 0 });
  if (isProblem(event)) throw new Error(event.message);
  return event;
}

/** As it stands in a batch, between what was there before. */
function written(event: Event, stamp: Stamp): string {
  const text = messageText(event, stamp);
  const body = Buffer.alloc(text.length + 20, '#');
  expect(writeText(text, body, 10)).toBe(10 + text.length);
  const [before, after] = [body.subarray(0, 10), body.subarray(10 + text.length)];
  expect(`${before.toString()}${after.toString()}`).toBe('#'.repeat(20));
  return body.toString('utf8', 10, 10 + text.length);
}

const whole: Stamp = { messageId: 'm1', writesMessageId: false };
const bare: Stamp = {
  messageId: 'm1',
  writesMessageId: true,
  timestamp: '2026-11-20T08:30:00.000Z',
};

describe('an event as a member of a batch', () => {
  it.each<[string, string, Stamp, string]>([
    [
      'gets what it lacks at its end',
      '{"type":"page","userId":"u"}',
      bare,
      '{"type":"page","userId":"u","messageId":"m1","timestamp":"2026-11-20T08:30:00.000Z"}',
    ],
    [
      'has an empty messageId replaced where it stands',
      '{"messageId" : "", "type":"page","userId":"u","timestamp":"2026-11-20T08:30:00Z"}',
      { messageId: 'm"1', writesMessageId: true },
      '{"messageId" : "m\\"1", "type":"page","userId":"u","timestamp":"2026-11-20T08:30:00Z"}',
    ],
    [
      'has a null messageId replaced, and its name left as it is spelled',
      '{"type":"page","\\u006dessageId":null,"userId":"u"}',
      bare,
      '{"type":"page","\\u006dessageId":"m1","userId":"u","timestamp":"2026-11-20T08:30:00.000Z"}',
    ],
    [
      'loses sentAt, and only at the top',
      '{"sentAt":"x","type":"page","userId":"u","properties":{"sentAt":1}}',
      whole,
      '{"type":"page","userId":"u","properties":{"sentAt":1}}',
    ],
    [
      'loses sentAt however its name is spelled',
      '{"type":"page","userId":"u","sent\\u0041t":{"a":[1,"}"]}}',
      whole,
      '{"type":"page","userId":"u"}',
    ],
    [
      'loses sentAt at its end, and gets an id where it stands before',
      '{"type":"page","userId":"u","messageId":null, "sentAt":"x" }',
      bare,
      '{"type":"page","userId":"u","messageId":"m1","timestamp":"2026-11-20T08:30:00.000Z" }',
    ],
    [
      'loses sentAt between others, and gets what it lacks',
      '{"type":"page", "sentAt" : null , "userId":"ü"}',
      { messageId: 'm\u{1f600}', writesMessageId: true },
      '{"type":"page", "userId":"ü","messageId":"m\u{1f600}"}',
    ],
    [
      'keeps numbers, escapes, repeated names and unknown members',
      '{"sentAt":1,"type":"track","event":"\\u0061","userId":9007199254740993,"x":{"a":1e400,"a":-0,"b":1.0}}',
      whole,
      '{"type":"track","event":"\\u0061","userId":9007199254740993,"x":{"a":1e400,"a":-0,"b":1.0}}',
    ],
  ])('%s', (_title, text, stamp, expected) => {
    expect(written(read(text), stamp)).toBe(expected);
  });

  it('is not copied when nothing has to change', () => {
    const event = read('{"type":"page","userId":"u"}');
    expect(messageText(event, whole)).toBe(event.bytes);
  });

  it('keeps the text of every member', () => {
    const extra = fc.dictionary(
      fc.string().map((name) => `x${name}`),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(
        extra,
        fc.boolean(),
        fc.boolean(),
        fc.nat(3),
        fc.nat(3),
        (members, stale, writes, indent, place) => {
          const names: [string, unknown][] = Object.entries({
            type: 'page',
            userId: 'u',
            ...members,
          });
          if (stale) names.splice(place, 0, ['sentAt', 's']);
          const event = read(JSON.stringify(Object.fromEntries(names), null, indent));
          const message = Buffer.from(written(event, writes ? bare : whole));
          const kept = event.members.filter(({ name }) => name !== 'sentAt');
          const expected = kept.map(({ start, end }) => event.bytes.toString('utf8', start, end));
          const { members: found } = scanMembers(message);
          const actual = found.map(({ start, end }) => message.toString('utf8', start, end));
          expect(actual.slice(0, expected.length)).toEqual(expected);
          expect(actual.length).toBe(expected.length + (writes ? 2 : 0));
          expect(JSON.parse(message.toString())).toEqual({
            ...JSON.parse(JSON.stringify({ type: 'page', ...members, userId: 'u' })),
            ...(writes && { messageId: bare.messageId, timestamp: bare.timestamp }),
          });
        },
      ),
    );
  });
});
