import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem, type Event } from '../../src/events/event.js';
import { rejection, type Outcome } from '../../src/delivery/outcome.js';
import { longLine } from '../../src/sources/long-line.js';
import { stampEvent } from '../../src/events/stamp.js';
import { deadLetterLine } from '../../src/ledger/dead-letter.js';
import { codeOf, eventOf, itemOf, trackWith, type Item } from '../helpers/events.js';
import { runs } from '../helpers/property-runs.js';

const text = trackWith('[1e400,-0, 1.0 ,"\\u00e9"]');
const origin = { file: 'dead.ndjson', line: 5, offset: 400, length: 999 };

function deadLetter(members: string): string {
  return `{"type":"dead-letter","reason":"failed","at":"2026-11-20T08:30:00.000Z",${members}}`;
}

function capture(members: object): string {
  return JSON.stringify({
    type: 'request',
    id: 1,
    method: 'POST',
    path: '/',
    headers: {},
    ...members,
  });
}

describe('a dead-letter line', () => {
  it('is the event in it, with its own text and the place of the line', () => {
    const event = itemOf(deadLetter(`"event":${text}`), origin);
    expect(event).toEqual(eventOf(text, origin));
    expect(event.bytes.toString()).toBe(text);
  });

  it('brings the messageId that the event was sent with', () => {
    const event = itemOf(deadLetter(`"messageId":"m1","event":${text}`));
    expect(event).toMatchObject({ givenId: 'm1' });
    expect(event.bytes.toString()).toBe(text);
  });

  it.each([
    ['raw', `"raw":${JSON.stringify(text)}`],
    ['rawBase64', `"rawBase64":"${Buffer.from(text).toString('base64')}"`],
  ])('is the line in %s, which may have been fixed', (_, members) => {
    expect(itemOf(deadLetter(members)).bytes.toString()).toBe(text);
  });

  it.each([
    ['an event that is still not valid', '"event":{"type":"track","userId":"u"}', 'missing_event'],
    ['an event that is no object', '"event":[1]', 'not_an_event'],
    ['a raw that is not JSON', '"raw":"{oops"', 'not_json'],
    ['a rawBase64 that is not UTF-8', '"rawBase64":"/w=="', 'not_utf8'],
    ['another dead letter', `"event":${deadLetter(`"event":${text}`)}`, 'unknown_type'],
    ['nothing', '"line":1', 'unknown_type'],
    ['a raw that is no text', '"raw":1', 'unknown_type'],
  ])('with %s is a problem', (_, members, code) => {
    expect(codeOf(itemOf(deadLetter(members)))).toBe(code);
  });

  it('of a request is the event in the body of that', () => {
    const alias = '{"type":"alias","User ID":"u","Previous ID":"p"}';
    const item = itemOf(deadLetter(`"messageId":"msg_1","request":${capture({ body: alias })}`));
    expect(item.bytes.toString()).toBe('{"type":"alias","userId":"u","previousId":"p"}');
    expect((item as Event).givenId).toBeUndefined();
    const other = `"request":${capture({ body: '{"id":"evt_1"}' })}`;
    expect(codeOf(itemOf(deadLetter(other)))).toBe('not_an_event');
  });

  it('may be longer than any event', () => {
    const raw = 'x'.repeat(2 * 1024 * 1024);
    const item = itemOf(deadLetter(`"raw":"${raw}"`));
    expect(item.bytes.toString()).toBe(raw);
    expect(codeOf(item)).toBe('too_large');
  });

  it('does not count for the limits of the event in it', () => {
    const room = 32_768 - Buffer.byteLength(trackWith('""'));
    const large = trackWith(`"${'x'.repeat(room)}"`);
    expect(codeOf(itemOf(deadLetter(`"event":${large}`)))).toBeUndefined();
    const deep = trackWith(`${'['.repeat(198)}${']'.repeat(198)}`);
    expect(codeOf(itemOf(deadLetter(`"event":${deep}`)))).toBeUndefined();
  });
});

describe('a capture line', () => {
  it.each([
    ['body', { body: ` ${text}\n` }],
    ['bodyBase64', { bodyBase64: Buffer.from(text).toString('base64') }],
  ])('is the event in its %s, byte for byte', (_, members) => {
    expect(itemOf(capture(members)).bytes.toString()).toBe(text);
  });

  it('may be longer than any event', () => {
    const body = `${text}${' '.repeat(2 * 1024 * 1024)}`;
    expect(itemOf(capture({ body })).bytes.toString()).toBe(text);
  });

  it('is an alias call where the body has the literal keys', () => {
    const body =
      '{"version":1,"type":"alias", "messageId":"m","Previous ID": 12345678901234567890 ,"User ID":"\\u0075"}';
    const event = itemOf(capture({ body })) as Event;
    expect(event.bytes.toString()).toBe(
      '{"version":1,"type":"alias","messageId":"m","previousId":12345678901234567890,"userId":"\\u0075"}',
    );
    expect(event.value).toMatchObject({ type: 'alias', userId: 'u' });
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'keeps a member of an alias that is called %s',
    (name) => {
      const body = `{"type":"alias","User ID":"u","Previous ID":"p","${name}":1}`;
      expect(itemOf(capture({ body })).bytes.toString()).toBe(
        `{"type":"alias","userId":"u","previousId":"p","${name}":1}`,
      );
    },
  );

  it('is an alias call with its usual names, too', () => {
    const body = '{"type":"alias","userId":"u","previousId":"p","User ID":"x"}';
    expect(itemOf(capture({ body })).bytes.toString()).toBe(body);
  });

  it.each([
    ['a batch', { body: '{"batch":[]}' }, 'batch_capture'],
    ['a body that is not JSON', { body: 'a=1' }, 'not_json'],
    ['an empty body', { body: '' }, 'not_an_event'],
    ['a body that is not UTF-8', { bodyBase64: '/w==' }, 'not_utf8'],
    ['no event', { body: '{"id":"evt_1"}' }, 'not_an_event'],
    ['an array of events', { body: ' [{"type":"track"}]' }, 'batch_capture'],
    ['a body that is no object', { body: '5' }, 'not_an_event'],
    ['a body that is a dead letter', { body: deadLetter(`"event":${text}`) }, 'unknown_type'],
    ['an alias without the literal keys', { body: '{"type":"alias"}' }, 'missing_user_id'],
    [
      'an alias with both names',
      { body: '{"type":"alias","User ID":"u","Previous ID":"p","previousId":"q"}' },
      'repeated_member',
    ],
    ['no body', {}, 'unknown_type'],
    ['a body that is no text', { body: {} }, 'unknown_type'],
  ])('with %s is a problem', (_, members, code) => {
    expect(codeOf(itemOf(capture(members)))).toBe(code);
  });
});

it.each([
  [{ body: 'a=1' }, 'the captured body is not JSON; send it with evfwd replay'],
  [{ bodyBase64: '/w==' }, 'the captured body is not valid UTF-8; send it with evfwd replay'],
  [{ body: '5' }, 'the captured body is JSON, but not an object; send it with evfwd replay'],
])('a capture of %j says that of its body, not of its line', (members, message) => {
  expect(itemOf(capture(members))).toMatchObject({ message });
});

describe('a dead letter that is written and read again', () => {
  it('is the same event under the same id, or the same problem', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const item = itemOf(line);
        const again = itemOf(written(item), origin);
        expect(again.bytes.toString('latin1')).toBe(item.bytes.toString('latin1'));
        expect(codeOf(again)).toBe(codeOf(item));
        if (!isProblem(item)) expect(stampOf(again as Event)).toEqual(stampOf(item));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('keeps the id through a second failure', () => {
    const first = itemOf(written(eventOf(text, { offset: 1 })), { offset: 2 });
    const second = itemOf(written(first), { offset: 3 });
    expect(second).toMatchObject({ givenId: stampOf(eventOf(text, { offset: 1 })).messageId });
  });

  it('has no messageId beside the event that brings its own', () => {
    const event = eventOf({ messageId: 'own' });
    expect(JSON.parse(written(event).toString())).not.toHaveProperty('messageId');
    expect(stampOf(itemOf(written(event)) as Event).messageId).toBe('own');
  });

  it('stays on one line, also where the event does not', () => {
    const pretty = JSON.stringify({ type: 'track', userId: 'u', event: 'a\nb' }, null, 2);
    const event = itemOf(capture({ body: pretty.replaceAll('\n', '\r\n') }));
    const line = written(event);
    expect(line.toString().split('\n')).toEqual([expect.stringContaining('"event":{'), '']);
    const again = itemOf(line) as Event;
    expect(again.value).toEqual(JSON.parse(pretty));
    expect(again.bytes.toString()).toBe(event.bytes.toString().replaceAll('\n', ' '));
    expect(stampOf(again).messageId).toBe(stampOf(event as Event).messageId);
  });

  it('of a line that is not JSON is text where it is UTF-8, and base64 where not', () => {
    const deadLetter = (line: Buffer) => JSON.parse(written(itemOf(line)).toString());
    expect(deadLetter(Buffer.from('{"é\u2028\0'))).toMatchObject({ raw: '{"é\u2028\0' });
    expect(deadLetter(Buffer.from([0x7b, 0xff]))).toMatchObject({ rawBase64: 'e/8=' });
  });

  it('of a line that was too long is never accepted as an event, however often it is imported', () => {
    const whole = `${text}${' '.repeat(4096 - text.length)}`;
    for (const bytes of [Buffer.from(whole), Buffer.from([0x7b, 0xff])]) {
      const cutFrom = 2_000_000;
      let deadLetter = written(longLine({ bytes, line: 3, offset: 70, cutFrom }, 'big.ndjson'));
      expect(JSON.parse(deadLetter.toString())).toMatchObject({ offset: 70, length: cutFrom });
      for (let i = 0; i < 3; i++) {
        const item = itemOf(deadLetter, origin);
        expect(item).toMatchObject({
          code: 'line_too_long',
          message: expect.stringContaining('only the beginning of a line'),
        });
        expect(item.bytes.equals(bytes)).toBe(true);
        deadLetter = written(item);
      }
    }
  });

  it('of a line that was too long is an event where that was put in', () => {
    const item = itemOf(deadLetter(`"code":"line_too_long","raw":"x","event":${text}`));
    expect(item.bytes.toString()).toBe(text);
    expect(codeOf(item)).toBeUndefined();
  });

  it('holds a line of 17 MB as base64: its text could be longer than strings can be', () => {
    const line = Buffer.alloc(17 * 1024 * 1024);
    const deadLetter = written(itemOf(line));
    expect(deadLetter.toString('latin1', 0, 400)).toContain(',"rawBase64":"AAAA');
    const again = itemOf(deadLetter);
    expect(codeOf(again)).toBe('too_large');
    expect(again.bytes.equals(line)).toBe(true);
  });
});

const failure: Outcome = { verdict: 'failed', messageId: 'm', attempts: [], code: 'status_404' };

function written(item: Item): Buffer {
  const stamp = isProblem(item) ? undefined : stampOf(item);
  return deadLetterLine({
    outcome: isProblem(item) ? rejection(item) : failure,
    origin: item.origin,
    bytes: item.bytes,
    isJson: isProblem(item) ? item.isJson : true,
    givenId: stamp?.writesMessageId ? stamp.messageId : item.givenId,
    at: 0,
  });
}

function stampOf(event: Event) {
  return stampEvent(event, { ids: 'keep', seed: '', now: 0 });
}

const event = fc
  .record({
    type: fc.constantFrom('track', 'page', 'alias', 'x'),
    userId: fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.integer()),
    event: fc.string({ unit: 'binary' }),
    messageId: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
    properties: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.constant(1)),
  })
  .map((members) => Buffer.from(JSON.stringify(members)));

const anyLine = fc.oneof(
  event,
  fc.json().map((json) => Buffer.from(json)),
  fc.string({ unit: 'binary' }).map((line) => Buffer.from(line)),
  fc.uint8Array().map((line) => Buffer.from(line)),
);
