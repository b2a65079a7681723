import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notesOf, summaryOf } from '../../src/listen/notes.js';

describe('the note of an event', () => {
  it.each([
    ['{"type":"track","event":"Order","userId":"u1","messageId":"m"}', 'track', 'Order', 'u1', 'm'],
    ['{"type":"identify","anonymousId":"a","traits":{}}', 'identify', null, 'a', null],
    ['{"type":"page","name":"Home","userId":"u","anonymousId":"a"}', 'page', 'Home', 'u', null],
    ['{"type":"screen","name":"Main","userId":""}', 'screen', 'Main', null, null],
    ['{"type":"group","groupId":7,"userId":"u"}', 'group', '7', 'u', null],
    ['{"type":"alias","Previous ID":"p","User ID":"u"}', 'alias', null, 'u', null],
    ['{"type":"delete","userId":"u"}', 'delete', null, 'u', null],
    ['{"type":"charge.succeeded","id":"c"}', 'charge.succeeded', null, null, null],
    [
      ' {"type":"track","event":"a","userId":9007199254740993}',
      'track',
      'a',
      '9007199254740993',
      null,
    ],
    ['{"type":"track","event":"a","userId":1e400}', 'track', 'a', '1e400', null],
  ])('%s', (text, type, name, user, messageId) => {
    const notes = notesOf(Buffer.from(text), '/hook');
    expect(notes).toEqual({ events: [{ type, name, user, messageId }], isBatch: false, others: 0 });
    expect(summaryOf(notes)).toEqual({ type, name, user, messageId, events: 1 });
  });

  it.each(['', 'hello', '[]', '{}', '{"type":7}', '{"type":"track"', 'null', '"track"', '\u0000{'])(
    'none is made out of %j',
    (text) => {
      const notes = notesOf(Buffer.from(text), '/hook');
      expect(summaryOf(notes)).toMatchObject({ type: null, name: null, user: null, events: 0 });
    },
  );

  it('looks into gzip, whatever the headers say', () => {
    const body = gzipSync('{"type":"page","name":"Home","userId":"u"}');
    expect(summaryOf(notesOf(body, '/'))).toMatchObject({ type: 'page', name: 'Home', events: 1 });
  });

  it('does not inflate a bomb, nor damaged gzip', () => {
    const bomb = gzipSync(`{"type":"track","event":"${' '.repeat(16 * 1024 * 1024)}"}`);
    expect(bomb.length).toBeLessThan(100_000);
    expect(notesOf(bomb, '/').events).toEqual([]);
    expect(notesOf(bomb.subarray(0, 1000), '/').events).toEqual([]);
  });

  it('survives nesting that fills a body', () => {
    const deep = `{"type":"track","event":"E","userId":9007199254740993,"p":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
    expect(() => notesOf(Buffer.from(deep), '/')).not.toThrow();
    expect(notesOf(Buffer.from('['.repeat(1_000_000)), '/').events).toEqual([]);
  });

  it.each([
    ['/v1/track', 'track'],
    ['/v1/t', 'track'],
    ['/v1/i', 'identify'],
    ['/v1/p/', 'page'],
    ['//v1/screen?x=1', 'screen'],
    ['/v1/g', 'group'],
    ['/v1/a', 'alias'],
  ])('reads the type from the path %s if the body has none', (path, type) => {
    expect(summaryOf(notesOf(Buffer.from('{"userId":"u"}'), path))).toMatchObject({ type });
    const named = notesOf(Buffer.from('{"type":"page","name":"n"}'), path);
    expect(summaryOf(named)).toMatchObject({ type: 'page' });
  });

  it.each(['/v1/m', '/v1/d', '/v1/delete', '/v1/tr', '/hook/v1/t', '/v1/'])(
    'reads no type from %s',
    (path) => {
      expect(notesOf(Buffer.from('{"userId":"u"}'), path).events).toEqual([]);
    },
  );

  it('cuts long texts, so that ten thousand of them stay small', () => {
    const [note] = notesOf(
      Buffer.from(JSON.stringify({ type: 'track', event: 'é'.repeat(5000) })),
      '/',
    ).events;
    expect(note!.name).toBe(`${'é'.repeat(199)}…`);
  });

  it('never throws, whatever the body', () => {
    const json = fc.json().map((text) => Buffer.from(text));
    const bytes = fc.uint8Array().map((array) => Buffer.from(array));
    const batch = fc.json().map((text) => Buffer.from(`{"batch":[${text},${text}]}`));
    const array = fc.json().map((text) => Buffer.from(` [${text},{"type":"track","userId":1e99}]`));
    fc.assert(
      fc.property(fc.oneof(json, bytes, batch, array), fc.string(), (body, path) => {
        const { events } = notesOf(body, path);
        expect(summaryOf(notesOf(body, path)).events).toBe(events.length);
      }),
    );
  });
});

describe('a batch', () => {
  it('has one note per event', () => {
    const text =
      '{"batch":[{"type":"track","event":"A","userId":9007199254740993},{"type":"page","name":"P","anonymousId":"x"}],"sentAt":"now"}';
    const notes = notesOf(Buffer.from(text), '/v1/batch');
    expect(notes.isBatch).toBe(true);
    expect(notes.events.map(({ type, name, user }) => [type, name, user])).toEqual([
      ['track', 'A', '9007199254740993'],
      ['page', 'P', 'x'],
    ]);
    expect(summaryOf(notes)).toEqual({
      type: 'batch',
      name: '1 track, 1 page of 2 users',
      user: null,
      messageId: null,
      events: 2,
    });
  });

  it('of one event is that event', () => {
    const notes = notesOf(Buffer.from('{"batch":[{"type":"page","name":"P","userId":"u"}]}'), '/');
    expect(summaryOf(notes)).toMatchObject({ type: 'page', name: 'P', user: 'u', events: 1 });
  });

  it.each([
    ['{"batch":[]}', 0],
    ['{"batch":[1,null,{},{"type":"track"}]}', 1],
  ])('%s holds %i events', (text, events) => {
    expect(summaryOf(notesOf(Buffer.from(text), '/')).events).toBe(events);
  });
});

describe('an array of webhook bodies', () => {
  const track = (name: string, more = '') =>
    `{"version":1,"type":"track","event":"${name}"${more},"userId":"u1"}`;
  const notesIn = (text: string) => notesOf(Buffer.from(text), '/hook');

  it('is a batch with one note per event, each with its position', () => {
    const notes = notesIn(
      ` [${track('A', ',"messageId":9007199254740993')}, {"type":"alias","User ID":"u2"},\n{"type":"odd"}] `,
    );
    expect(notes).toEqual({
      events: [
        { type: 'track', name: 'A', user: 'u1', messageId: '9007199254740993', index: 0 },
        { type: 'alias', name: null, user: 'u2', messageId: null, index: 1 },
        { type: 'odd', name: null, user: null, messageId: null, index: 2 },
      ],
      isBatch: true,
      others: 0,
    });
    const name = '1 track, 1 alias, 1 odd of 2 users';
    expect(summaryOf(notes)).toMatchObject({ type: 'batch', name, user: null, events: 3 });
  });

  it('keeps the positions of its events beside elements that are none', () => {
    const { events, others } = notesIn(`[1,${track('A')},null,{"a":1},${track('B')}]`);
    expect(events.map(({ name, index }) => [name, index])).toEqual([
      ['A', 1],
      ['B', 4],
    ]);
    expect(others).toBe(3);
  });

  it('names the user of all its events, and three of its types', () => {
    const types = ['track', 'page', 'track', 'screen', 'group'];
    const events = types.map((type) => `{"type":"${type}","userId":7}`);
    const name = '2 track, 1 page, 1 screen, …';
    expect(summaryOf(notesIn(`[${events.join()}]`))).toMatchObject({ name, user: '7', events: 5 });
  });

  it('names no user for events of which some have none', () => {
    expect(summaryOf(notesIn(`[${track('A')},{"type":"page"}]`))).toMatchObject({
      name: '1 track, 1 page',
      user: null,
    });
  });

  it('of one event is that event', () => {
    expect(summaryOf(notesIn(`[${track('A')}]`))).toMatchObject({ type: 'track', name: 'A' });
  });

  it.each(['[]', '[1,2]', '[{"a":1}]', '[[{"type":"track"}]]', `[${track('A')}`])(
    'is none: %s',
    (text) => {
      expect(notesIn(text)).toEqual({ events: [], isBatch: false, others: 0 });
    },
  );
});

it.each(['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete'])(
  'knows the built-in event %s',
  (type) => {
    const body = readFileSync(new URL(`../../fixtures/${type}.json`, import.meta.url));
    expect(summaryOf(notesOf(body, '/'))).toMatchObject({ type, events: 1 });
  },
);
