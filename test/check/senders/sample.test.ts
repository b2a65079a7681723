import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../../src/check/events.js';
import type { FieldLocation } from '../../../src/check/senders/sender.js';
import { sampleSender } from '../../../src/check/senders/sample.js';
import { presets } from '../../../src/sign/schemes/index.js';

interface Options {
  readonly id?: FieldLocation;
  readonly scheme?: string;
  readonly keepsPath?: boolean;
}

function senderOf(text: string, { id, scheme, keepsPath = false }: Options = {}) {
  const sample = { name: 'order', text, where: '--body order.json' };
  return sampleSender([sample], { scheme: presets.get(scheme ?? ''), id, keepsPath });
}

const bodyOf = (text: string, options?: Options, id = 'evfwd-check-1') =>
  checkEvent(senderOf(text, options), id).body.toString();

const capture = (changes: object = {}): string =>
  JSON.stringify({
    type: 'request',
    method: 'POST',
    path: '/in/hook?source=shop',
    headers: {
      'content-type': 'application/json',
      'content-length': '7',
      host: 'example.com',
      connection: 'keep-alive',
      'x-hub-signature-256': 'sha256=old',
      'x-shop-event': 'sale',
      'x-event-id': '11111111-2222-4333-8444-555555555555',
    },
    body: '{"a":1}',
    ...changes,
  });

describe('a sample', () => {
  it.each([
    ['JSON is sent as compact JSON', '{ "a": [1, 2] }\n', '{"a":[1,2]}'],
    ['with a byte order mark loses it', '\ufeff{"a":1}', '{"a":1}'],
    ['a list stays one', '[{"a":1},{"a":2}]', '[{"a":1},{"a":2}]'],
    ['a form stays one', 'a=1&b=x+y\n', 'a=1&b=x+y'],
    ['a form keeps fields of one name', 'a=1&b=2&a=3', 'a=1&b=2&a=3'],
    ['the body of a capture is sent', capture(), '{"a":1}'],
    ['a form of a capture is sent', capture({ body: 'a=%2B1' }), 'a=%2B1'],
  ])('%s', (_, text, body) => {
    expect(bodyOf(text)).toBe(body);
  });

  it.each([
    ['a text', '{"data":{"id":"o1"}}', 'data.id', '{"data":{"id":"evfwd-check-1"}}'],
    ['a field of a form', 'id=o1&b=2', 'id', 'id=evfwd-check-1&b=2'],
    [
      'a text in a list',
      '[{"id":"o1"},{"id":"o2"}]',
      '0.id',
      '[{"id":"evfwd-check-1"},{"id":"o2"}]',
    ],
  ])('gets its own id where %s is the id', (_, text, path, body) => {
    expect(bodyOf(text, { id: { path: path.split('.') } })).toBe(body);
  });

  it.each([
    ['a number', '{"id":7}', /^\{"id":\d{9}\}$/],
    ['digits', '{"id":"1234567"}', /^\{"id":"\d{9}"\}$/],
    [
      'a UUID',
      '{"id":"11111111-2222-4333-8444-555555555555"}',
      /^\{"id":"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}"\}$/,
    ],
  ])('gets an id of the same form: %s', (_, text, form) => {
    const options = { id: { path: ['id'] } };
    expect(bodyOf(text, options, 'one')).toMatch(form);
    expect(bodyOf(text, options, 'one')).toBe(bodyOf(text, options, 'one'));
    expect(bodyOf(text, options, 'one')).not.toBe(bodyOf(text, options, 'two'));
  });

  it('has its id where the sender of the scheme has it, if it is there', () => {
    expect(bodyOf('{"id":"evt_1"}', { scheme: 'stripe' })).toBe('{"id":"evfwd-check-1"}');
    expect(bodyOf('{"number":1}', { scheme: 'stripe' })).toBe('{"number":1}');
    const { headers } = checkEvent(senderOf('{}', { scheme: 'github' }), 'one');
    expect(headers.map(([name]) => name)).toEqual(['X-GitHub-Delivery', 'X-Evfwd-Check']);
  });

  it('of a capture has its headers, but for those that are made anew', () => {
    const sender = senderOf(capture(), { id: { header: 'X-Event-Id' } });
    const { headers, path } = checkEvent(sender, 'one');
    expect(headers.map(([name]) => name)).toEqual(['x-shop-event', 'X-Event-Id', 'X-Evfwd-Check']);
    expect(headers[1]![1]).toMatch(/^[\da-f]{8}-/);
    expect(path).toBeUndefined();
  });

  it('of a capture keeps its path where the URL has none', () => {
    expect(checkEvent(senderOf(capture(), { keepsPath: true }), 'one').path).toBe(
      '/in/hook?source=shop',
    );
  });

  it.each([
    ['{"type":"a"}', { path: ['type'] }],
    ['{"event":"a"}', { path: ['event'] }],
    ['{"kind":"a"}', { path: ['kind'] }],
    ['{"action":"a"}', { path: ['action'] }],
    ['{"type":1,"action":"a"}', { path: ['action'] }],
    [capture(), { header: 'x-shop-event' }],
    ['{"a":1}', undefined],
  ])('tells its kind: %s', (text, place) => {
    expect(senderOf(text).kind).toEqual(place);
  });

  it('holds what it is varied with beside what it has', () => {
    const sender = senderOf('[{"a":1},{"a":2}]');
    const { body } = checkEvent(sender, 'one', { content: '{"x":null}', members: { m: 1 } });
    expect(JSON.parse(body.toString())).toEqual([
      { a: 1, m: 1, evfwdCheck: { x: null } },
      { a: 2 },
    ]);
  });

  it.each([
    ['not JSON', '{"a":', 'not JSON'],
    ['several captures', `${capture()}\n${capture()}`, 'put one into the file'],
    ['an empty file', ' \n', 'the file is empty'],
    [
      'a capture whose body was not recorded',
      capture({ body: undefined }),
      'its body was not recorded',
    ],
  ])('is refused: %s', (_, text, message) => {
    expect(() => senderOf(text)).toThrow(`--body order.json: `);
    expect(() => senderOf(text)).toThrow(message);
  });

  it('is refused if its id is not where it is said to be', () => {
    expect(() => senderOf('{"a":1}', { id: { path: ['data', 'id'] } })).toThrow(
      '--id-path data.id',
    );
  });

  it('of a capture keeps its Content-Type', () => {
    const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
    const { contentType } = checkEvent(senderOf(capture({ headers })), 'one');
    expect(contentType).toBe('application/cloudevents+json; charset=utf-8');
  });

  it('has a name that no other has', () => {
    const names = ['a', 'a', 'a-2', 'no-redirect'];
    const [first, ...others] = names.map((name) => ({ name, text: '{}', where: '' }));
    const { kinds } = sampleSender([first!, ...others], { scheme: undefined, keepsPath: false });
    expect(new Set(kinds.map(({ name }) => name)).size).toBe(4);
    expect(kinds.map(({ name }) => name)).not.toContain('no-redirect');
  });

  it('has a name of its own', () => {
    const [first, second] = ['{"a":1}', '{"a":2}'].map((text) => ({
      name: 'my order',
      text,
      where: '',
    }));
    const { kinds } = sampleSender([first!, second!], { scheme: undefined, keepsPath: false });
    expect(kinds.map(({ name }) => name)).toEqual(['my-order', 'my-order-2']);
  });
});
