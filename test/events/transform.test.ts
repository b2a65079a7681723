import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isProblem, type Event } from '../../src/events/event.js';
import {
  loadTransform,
  transformWith,
  type TransformFunction,
} from '../../src/events/transform.js';
import { noted } from '../../src/events/text-event.js';
import { eventOf, type Item } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';

const text =
  '{"type":"track","\\u0075serId" : 12345678901234567890,"event":"Opened","properties":{"b":1e400,"a":-0, "c":1.0},"context":{ "\\u0061":"\\u00e9" },"x":[]}';

function apply(change: TransformFunction, event: Event = eventOf(text)) {
  return transformWith(change)(event);
}

async function textAfter(change: TransformFunction): Promise<string> {
  const items = await apply(change);
  expect(items.map((item) => isProblem(item) && item.message)).toEqual([false]);
  return items[0]!.bytes.toString();
}

describe('a transformed event', () => {
  it.each<[string, TransformFunction]>([
    ['unchanged', (event) => event],
    ['a copy', (event) => structuredClone(event)],
    ['a promise', (event) => Promise.resolve(event)],
    ['members that JSON omits', (event) => ({ ...event, f: () => 0, u: undefined })],
  ])('keeps its bytes when it comes back: %s', async (_, change) => {
    expect(await textAfter(change)).toBe(text);
  });

  it.each<[string, TransformFunction, string, string]>([
    ['a member is changed', (e) => ({ ...e, event: 'Öpened' }), '"Opened"', '"Öpened"'],
    ['a member goes', ({ x, ...e }) => (Array.isArray(x) ? e : null), ',"x":[]', ''],
    ['a member comes', (e) => ({ ...e, y: 1 }), '"x":[]', '"x":[],"y":1'],
    ['a member changes in place', changedInPlace, '"x":[]', '"x":[{"z":"\u2028"}]'],
    [
      'a part of a member is changed',
      (e) => ({ ...e, context: { ...(e.context as object), d: 1 } }),
      '{ "\\u0061":"\\u00e9" }',
      '{"a":"é","d":1}',
    ],
    [
      'what cannot be a number in JSON becomes null',
      (e) => ({ ...e, properties: { ...(e.properties as object), b: null } }),
      '{"b":1e400,"a":-0, "c":1.0}',
      '{"b":null,"a":0,"c":1}',
    ],
    ['its name needs escapes', (e) => ({ ...e, 'a"\n': 1 }), '"x":[]', '"x":[],"a\\"\\n":1'],
  ])('is encoded only where %s', async (_, change, before, after) => {
    const expected = text.replace(before, after);
    expect(expected).not.toBe(text);
    expect(await textAfter(change)).toBe(expected);
  });

  it('has its members in the order in which they come back', async () => {
    const moved = ({ type, ...rest }: Record<string, unknown>) => ({ ...rest, type });
    expect(await textAfter(moved)).toMatch(/^\{"\\u0075serId" : \d+,.*,"type":"track"\}$/);
  });

  it('keeps a __proto__', async () => {
    const own = '{"type":"page","userId":"u","__proto__":{"a":1e400},"properties":{"__proto__":1}}';
    const [item] = await apply((event) => event, eventOf(own));
    expect(item!.bytes.toString()).toBe(own);
  });

  it('is judged by the returned value, with the location and the given id of the line', async () => {
    const event = noted(eventOf(text, { line: 9 }), { givenId: 'given' });
    const [item] = await apply((e) => ({ ...e, type: 'page' }), event);
    expect(item).toMatchObject({ value: { type: 'page' }, origin: { line: 9 }, givenId: 'given' });
  });

  it('does not change the original event', async () => {
    const event = eventOf(text);
    await apply(changedInPlace, event);
    expect(event).toEqual(eventOf(text));
  });
});

describe('an event becomes', () => {
  it.each([null, undefined])('none: %s', async (nothing) => {
    expect(await apply(() => nothing)).toEqual([]);
  });

  it('none of an empty list', async () => {
    expect(await apply(() => [])).toEqual([]);
  });

  it('several, each with its part', async () => {
    const items = await apply((e) => [e, { ...e, event: 'Second' }]);
    expect(items).toMatchObject([
      { part: 0, value: { event: 'Opened' } },
      { part: 1, value: { event: 'Second' } },
    ]);
  });

  it.each<[string, TransformFunction, string]>([
    ['text', () => 'event', 'it must return an event, an array of events or null'],
    ['a number', () => 1, 'it must return an event'],
    ['true', () => true, 'it must return an event'],
    ['an error that is thrown', () => raise(new Error('no\nway')), '--transform failed: no'],
    ['a promise that fails', () => Promise.reject(new Error('later')), 'failed: later'],
    ['text that is thrown', () => raise('oops'), '--transform failed: oops'],
    ['nothing that is thrown', () => raise(undefined), 'it threw a value that is not an error'],
    [
      'an object that is thrown',
      () => raise(Object.create(null)),
      'it threw a value that is not an error',
    ],
    [
      'an error with a strange message',
      () => raise(strangeError()),
      'it threw a value that is not an error',
    ],
    ['a BigInt', (e) => ({ ...e, n: 1n }), 'BigInt'],
    ['a ring', (e) => Object.assign(e, { e }), 'circular structure'],
    [
      'a getter that throws',
      () => ({
        get type() {
          return raise(new Error('got'));
        },
      }),
      'got',
    ],
  ])('a problem of %s', async (_, change, message) => {
    const event = noted(eventOf(text), { givenId: 'given' });
    const [item, ...others] = await apply(change, event);
    expect(others).toEqual([]);
    expect(item).toMatchObject({ code: 'transform_failed', isJson: true, givenId: 'given' });
    expect(item).toMatchObject({ bytes: event.bytes, origin: event.origin });
    expect((item as { message: string }).message).toContain(message);
    expect((item as { message: string }).message).not.toContain('\n');
  });

  it('a problem of its own where it breaks a rule, beside others that do not', async () => {
    const items: readonly Item[] = await apply((e) => [e, { ...e, event: '' }, 7]);
    expect(items.map((item) => (isProblem(item) ? item.code : 'event'))).toEqual([
      'event',
      'missing_event',
      'transform_failed',
    ]);
  });
});

describe('a transform file', () => {
  it('is a module whose default export is the function', async () => {
    const folder = folderWith({
      'good.mjs': 'export default (event) => ({ ...event, event: `${event.event}!` });',
    });
    const transform = await loadTransform(join(folder, 'good.mjs'));
    expect((await transform(eventOf()))[0]).toMatchObject({ value: { event: 'Opened!' } });
  });

  it.each([
    ['with no default export', 'export const x = 1;', /its default export is not a function/],
    ['with another default export', 'export default 1;', /its default export is not a function/],
    ['with a mistake', 'export default (;', /cannot be loaded: \S/],
    ['that throws', 'throw new Error("first\\nsecond");', /cannot be loaded: first$/],
    ['that is not there', undefined, /cannot be loaded: \S/],
  ])('%s is a usage error', async (_, code, message) => {
    const folder = folderWith(code === undefined ? {} : { 'bad.mjs': code });
    const path = join(folder, 'bad.mjs');
    const loading = loadTransform(path);
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^--transform \S+bad\.mjs: .*$/),
    });
  });
});

function changedInPlace(event: Record<string, unknown>): unknown {
  (event.x as unknown[]).push({ z: '\u2028' });
  return event;
}

function raise(thrown: unknown): never {
  throw thrown;
}

function strangeError(): Error {
  return Object.assign(new Error(), { message: 5 });
}
