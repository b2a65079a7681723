import { describe, expect, it } from 'vitest';
import { isProblem } from '../../src/events/event.js';
import { CaptureItem } from '../../src/replay/capture-item.js';
import { captureItems } from '../../src/replay/parse-capture.js';
import { captureText } from './captures.js';

const items = captureItems(['webhook-id']);

function parse(text: string) {
  const bytes = Buffer.from(text);
  return items.parseLine(bytes, { file: 'got', line: 1, offset: 0, length: bytes.length });
}

describe('a line of a capture file', () => {
  it.each([
    ['text', { body: 'ü' }, 'ü'],
    ['base64', { bodyBase64: '/wD+' }, '/wD+'],
    ['nothing', { body: undefined }, ''],
  ])('has its body as %s', (_title, fields, expected) => {
    const item = parse(captureText(fields)) as CaptureItem;
    expect(item.request.body.toString(expected === '/wD+' ? 'base64' : 'utf8')).toBe(expected);
  });

  it('keeps a header of any name, and every value of a repeated one', () => {
    const text = captureText().replace('"headers":{', '"headers":{"__proto__":"p","x":["1","2"],');
    expect((parse(text) as CaptureItem).request.headers.slice(0, 6)).toEqual([
      '__proto__',
      'p',
      'x',
      '1',
      'x',
      '2',
    ]);
  });

  it.each([
    ['is no JSON', 'nope', 'not_json'],
    ['is an event', '{"type":"track","userId":"u"}', 'not_a_capture'],
    ['has no method', captureText({ method: undefined }), 'not_a_capture'],
    ['has no path', captureText({ path: 1 }), 'not_a_capture'],
    ['has two bodies', captureText({ body: 'a', bodyBase64: 'YQ==' }), 'not_a_capture'],
    ['has a body that is no base64', captureText({ bodyBase64: 'a-b=' }), 'not_a_capture'],
    ['has a header that is no text', captureText({ headers: { a: 1 } }), 'not_a_capture'],
    [
      'has the length of a body that it does not have',
      captureText({ body: '', headers: { 'content-length': '5' } }),
      'not_a_capture',
    ],
    ['is a dead letter of an import', '{"type":"dead-letter","event":{}}', 'not_a_capture'],
    [
      'is the beginning of a line that was too long',
      '{"type":"dead-letter","code":"line_too_long","raw":"{"}',
      'line_too_long',
    ],
  ])('is a problem if it %s', (_title, text, code) => {
    expect(parse(text)).toMatchObject({ code });
  });

  it('says which command sends an event', () => {
    expect(parse('{"type":"track","userId":"u"}')).toMatchObject({
      message: expect.stringContaining('send it with evfwd import'),
    });
  });

  it.each(['ready', 'summary'])('is no request if it is the %s of listen --json', (type) => {
    const item = parse(JSON.stringify({ type })) as CaptureItem;
    expect([isProblem(item), item.isRequest]).toEqual([false, false]);
  });

  it('is read out of a dead letter with the bytes that were in it', () => {
    const text = captureText({ body: '1.0 é' });
    const item = parse(`{"type":"dead-letter","reason":"failed","request":${text}}`);
    expect(item.bytes.toString()).toBe(text);
  });
});

describe('the id of a request', () => {
  const idOf = (fields: Record<string, unknown>) =>
    (parse(captureText(fields)) as CaptureItem).givenId;

  it.each([
    ['the recorded one', { headers: { 'Webhook-Id': 'w1' }, body: '{"messageId":"m1"}' }, 'w1'],
    ['else the messageId of its body', { body: '{"messageId":"m1"}' }, 'm1'],
  ])('is %s', (_title, fields, expected) => {
    expect(idOf(fields)).toBe(expected);
  });

  it('is else made of the id of the capture and the body, the same each time', () => {
    const id = idOf({ id: 'a', body: 'x' });
    expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(idOf({ id: 'a', body: 'x' })).toBe(id);
    expect(idOf({ id: 'b', body: 'x' })).not.toBe(id);
    expect(idOf({ id: 'a', body: 'y' })).not.toBe(id);
  });
});
