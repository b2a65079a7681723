import { describe, expect, it } from 'vitest';
import { compileMap } from '../../../src/events/map/compile-map.js';
import type { EventMap } from '../../../src/events/map/event-map.js';

/** The events that a map makes of a record, or why it makes none. */
function mapped(map: EventMap, record: string): string {
  const result = compileMap(map).map(Buffer.from(record));
  if (result === 'skipped') return 'skipped';
  return 'code' in result ? `${result.code}: ${result.message}` : result.events.join('\n');
}

const type = { const: 'track' };

describe('a value of a map', () => {
  it.each<[string, EventMap, string, string]>([
    ['is a path', { userId: 'a.b' }, '{"a":{"b":"x"}}', '"userId":"x"'],
    ['is a path whose names have dots', { userId: 'a\\.b.c' }, '{"a.b":{"c":7}}', '"userId":7'],
    [
      'is the last of duplicated members',
      { userId: 'a.b' },
      '{"a":{"b":1},"a":{"b":2}}',
      '"userId":2',
    ],
    ['is not of an earlier duplicate', { userId: 'a.b' }, '{"a":{"b":1},"a":{}}', ''],
    ['is found by a name with escapes', { userId: 'type' }, '{"\\u0074ype":"x"}', '"userId":"x"'],
    ['is absent where the path names nothing', { userId: 'a.b.c' }, '{"a":{"b":3}}', ''],
    ['is absent where it is null', { userId: 'a' }, '{"a":null}', ''],
    ['is a constant', { context: { h: { const: [1, null] } } }, '{}', '"context":{"h":[1,null]}'],
    [
      'is the first alternative that is not null',
      { userId: { path: ['a', 'b', 'c'] } },
      '{"a":null,"c":3,"b":2}',
      '"userId":2',
    ],
    [
      'is looked up',
      { event: { path: 'k', values: { buy: 'Bought' } } },
      '{"k":"b\\u0075y"}',
      '"event":"Bought"',
    ],
    [
      'is looked up by the spelling of a number',
      { event: { path: 'k', values: { '1.0': 'One' } } },
      '{"k":1.0}',
      '"event":"One"',
    ],
    [
      'is the default of a lookup',
      { event: { path: 'k', values: {}, default: 'Other' } },
      '{"k":"x"}',
      '"event":"Other"',
    ],
    [
      'is the default of an absent value',
      { event: { path: 'k', default: 'None' } },
      '{}',
      '"event":"None"',
    ],
    [
      'is JSON in a text',
      { properties: { path: 'p', json: true } },
      '{"p":" {\\"a\\": 1.50}\\n"}',
      '"properties":{"a": 1.50}',
    ],
    ['is no text in an empty text', { properties: { path: 'p', json: true } }, '{"p":""}', ''],
    [
      'is an object of its own',
      { properties: { a: 'x', b: { c: 'y' } } },
      '{"x":1e400,"y":-0}',
      '"properties":{"a":1e400,"b":{"c":-0}}',
    ],
    [
      'is an object with a member named path',
      { properties: { members: { path: 'p' } } },
      '{"p":"/"}',
      '"properties":{"path":"/"}',
    ],
    [
      'is an object with path beside others',
      { properties: { path: 'p', url: 'u' } },
      '{"p":"/","u":"x"}',
      '"properties":{"path":"/","url":"x"}',
    ],
    ['is left out as an object without members', { properties: { a: 'x' } }, '{}', ''],
    [
      'is a number as a text where an event needs one',
      { event: 'e', messageId: 'm' },
      '{"e":404,"m":9007199254740993}',
      '"event":"404","messageId":"9007199254740993"',
    ],
    [
      'is a number as a text if the map says so',
      { userId: { path: 'u', as: 'text' } },
      '{"u":1.50}',
      '"userId":"1.50"',
    ],
    [
      'is a time',
      { timestamp: { path: 't', unit: 'us' } },
      '{"t":"1706704496789123"}',
      '"timestamp":"2024-01-31T12:34:56.789123Z"',
    ],
    [
      'is a time without rules',
      { timestamp: 't' },
      '{"t":1706704496}',
      '"timestamp":"2024-01-31T12:34:56.000Z"',
    ],
    [
      'is a property that is a time',
      { properties: { at: { path: 't', unit: 's' } } },
      '{"t":1706704496}',
      '"properties":{"at":"2024-01-31T12:34:56.000Z"}',
    ],
    [
      'is no time in an empty text',
      { timestamp: { path: ['t', 'u'] } },
      '{"t":"","u":1706704496}',
      '"timestamp":"2024-01-31T12:34:56.000Z"',
    ],
  ])('%s', (_, map, record, members) => {
    const rest = members === '' ? '' : `,${members}`;
    expect(mapped({ type, ...map }, record)).toBe(`{"type":"track"${rest}}`);
  });

  it.each<[EventMap, string, string]>([
    [
      { event: { path: 'k', values: { a: 'A' } } },
      '{"k":"refund"}',
      'unknown_value: event: "refund" at k is not among the values of the map; add it, or a default',
    ],
    [
      { event: { path: 'k', values: { a: 'A' } } },
      '{"k":[1]}',
      'not_a_text: event: the value at k is not a text or number',
    ],
    [
      { properties: { path: 'p', json: true } },
      '{"p":"{\\"a\\":}"}',
      'not_json: the text at p is not JSON',
    ],
    [
      { json: ['a.p'], userId: 'a.p.id' },
      '{"a":{"p":"{} x"}}',
      'not_json: the text at a.p is not JSON',
    ],
    [
      { timestamp: 't' },
      '{"t":"yesterday"}',
      'invalid_timestamp: timestamp: "yesterday" at t is not a time',
    ],
    [
      { timestamp: 't' },
      `{"t":"${'x'.repeat(100)}"}`,
      `invalid_timestamp: timestamp: "${'x'.repeat(40)}…" at t is not a time`,
    ],
    [
      { messageId: { path: ['a', 'b'], required: true } },
      '{}',
      'missing_message_id: no messageId: the record has no a, b',
    ],
    [
      { type: 'kind' },
      '{}',
      'missing_type: the record has no type of event; a map can name it, like type: { const: page }',
    ],
    [{}, '[]', 'not_an_event: the line is JSON, but not an object'],
    [{}, '{"a":', 'not_json: not JSON: it ends too early'],
  ])('can make a record no event: %j of %j', (map, record, problem) => {
    expect(mapped({ type, ...map }, record)).toBe(problem);
  });

  it('is not read from bytes that are not UTF-8', () => {
    const record = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
    expect(compileMap({ type, userId: 'a' }).map(record)).toMatchObject({ code: 'not_utf8' });
  });
});

describe('the star', () => {
  it.each<[string, EventMap, string, string]>([
    [
      'keeps the bytes of what is used nowhere else',
      { userId: 'u', properties: '*' },
      '{"a":1.0, "b" : "\\u00e9","u":"x","c":{ }}',
      '"userId":"x","properties":{"a":1.0, "b" : "\\u00e9","c":{ }}',
    ],
    [
      'is left out if nothing is left',
      { userId: 'u', properties: '*' },
      '{"u":"x"}',
      '"userId":"x"',
    ],
    ['keeps null', { properties: '*' }, '{"a":null}', '"properties":{"a":null}'],
    [
      'keeps the rest of an object that is used in part',
      { userId: 'o.u', properties: '*' },
      '{"a":1,"o":{"u":"x", "v":2}}',
      '"userId":"x","properties":{"a":1,"o":{"v":2}}',
    ],
    [
      'drops an object of which nothing is left',
      { userId: 'o.u', properties: '*' },
      '{"o":{"u":"x"},"a":1}',
      '"userId":"x","properties":{"a":1}',
    ],
    [
      'keeps a value that should have been an object',
      { userId: 'o.u', properties: '*' },
      '{"o":[1]}',
      '"properties":{"o":[1]}',
    ],
    [
      'stands for an object',
      { userId: 'o.u', properties: 'o.*' },
      '{"a":1,"o":{"u":"x","v":2}}',
      '"userId":"x","properties":{"v":2}',
    ],
    [
      'does not have what is dropped',
      { properties: '*', drop: ['a', 'o.v'] },
      '{"a":1,"o":{"u":"x","v":2}}',
      '"properties":{"o":{"u":"x"}}',
    ],
    [
      'adds to names, which go before',
      { properties: { total: 'price', '*': '*' } },
      '{"total":1,"price":2,"b":3}',
      '"properties":{"total":2,"b":3}',
    ],
    [
      'has its own member of a name that is absent',
      { properties: { total: 'price', '*': '*' } },
      '{"total":1}',
      '"properties":{"total":1}',
    ],
    [
      'has what only other types use',
      { traits: { mail: 'm' }, properties: '*' },
      '{"m":"x"}',
      '"properties":{"m":"x"}',
    ],
    [
      'has JSON that is read from a text',
      { json: ['p'], properties: '*' },
      '{"p":"{\\"a\\":1}","q":2}',
      '"properties":{"p":{"a":1},"q":2}',
    ],
    [
      'keeps duplicated members',
      { properties: '*' },
      '{"a":1,"a":2}',
      '"properties":{"a":1,"a":2}',
    ],
    [
      'adds members to the event itself, without nulls',
      { userId: 'u', '*': '*' },
      '{"u":"x","userId":"y","channel":"web","n":null}',
      '"userId":"x","channel":"web"',
    ],
  ])('%s', (_, map, record, members) => {
    const rest = members === '' ? '' : `,${members}`;
    expect(mapped({ type, ...map }, record)).toBe(`{"type":"track"${rest}}`);
  });
});

describe('a map', () => {
  it.each<[string, string]>([
    ['track', '"event":"e","messageId":"m","userId":"u","properties":{"x":1}'],
    ['page', '"name":"n","messageId":"m","userId":"u","properties":{"x":1}'],
    ['identify', '"messageId":"m","userId":"u","traits":{"y":2}'],
    ['group', '"messageId":"m","userId":"u","groupId":"g","traits":{"y":2}'],
    ['alias', '"messageId":"m","userId":"u","previousId":"p"'],
    ['delete', '"messageId":"m","userId":"u"'],
  ])('gives %s only the members that it has', (kind, members) => {
    const map: EventMap = {
      type: 'kind',
      event: 'e',
      name: 'n',
      messageId: 'm',
      userId: 'u',
      groupId: 'g',
      previousId: 'p',
      properties: 'props',
      traits: 'user',
    };
    const record = `{"kind":"${kind}","e":"e","n":"n","m":"m","u":"u","g":"g","p":"p","props":{"x":1},"user":{"y":2}}`;
    expect(mapped(map, record)).toBe(`{"type":"${kind}",${members}}`);
  });

  it('skips records by a value', () => {
    const skip = [
      { path: 'kind', in: ['start', 3] },
      { path: 'o.test', in: [true] },
    ];
    const map = { type, skip };
    expect(mapped(map, '{"kind":"start"}')).toBe('skipped');
    expect(mapped(map, '{"kind":3}')).toBe('skipped');
    expect(mapped(map, '{"o":{"test":true}}')).toBe('skipped');
    expect(mapped(map, '{"kind":"end","o":{"test":"yes"}}')).toBe('{"type":"track"}');
  });

  it('names the paths that no record has had so far', () => {
    const mapper = compileMap({
      type,
      event: 'e',
      userId: { path: ['u', 'v'] },
      properties: { a: 'o.a', b: 'o.b' },
    });
    expect(mapper.unusedPaths()).toEqual(['e', 'u or v', 'o.a', 'o.b']);
    mapper.map(Buffer.from('{"v":1,"o":{"a":null}}'));
    expect(mapper.unusedPaths()).toEqual(['e', 'o.b']);
  });

  it('reads a record of 100,000 levels and one of 30,000 members', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)},"u":1}`;
    expect(mapped({ type, userId: 'u', drop: ['a'], properties: '*' }, deep)).toBe(
      '{"type":"track","userId":1}',
    );
    const wide = `{${Array.from({ length: 30_000 }, (_, i) => `"m${i}":0`).join()}}`;
    expect(mapped({ type, properties: '*' }, wide)).toBe(`{"type":"track","properties":${wide}}`);
  });
});
