import { describe, expect, it } from 'vitest';
import { readBody } from '../../../../pages/shared/body/read-body.js';

const read = (body: string, contentType = '') => readBody({ body, bodyBase64: null, contentType });

describe('readBody', () => {
  it('has a tree for JSON', () => {
    expect(read('{"a":1}')).toMatchObject({
      text: '{"a":1}',
      shape: { kind: 'json', root: { kind: 'object' } },
      note: undefined,
    });
  });

  it('has a tree for JSON that is announced as a form, as curl -d does', () => {
    expect(read('{"a":1}', 'application/x-www-form-urlencoded').shape.kind).toBe('json');
  });

  it.each([
    ['a=1', 'application/json', 'not JSON: line 1, column 1'],
    ['{\n  "a": tru\n}', '', 'not JSON: line 2, column 8'],
    ['{"a":', '', 'not JSON: it ends too early'],
    ['hello', 'text/plain', 'text'],
    ['<b>', 'text/html', 'text'],
    ['<a>', 'application/xml', 'XML'],
    ['', 'application/json', 'empty'],
  ])('shows %j, announced as %j, as text, and says why', (text, type, note) => {
    expect(read(text, type)).toEqual({ text, shape: { kind: 'text' }, note });
  });

  it('decodes the fields of a form', () => {
    const { shape } = read(
      'a=1&b=two+words&c=%C3%A9%26&%zz=%ff&d',
      'application/x-www-form-urlencoded; charset=utf-8',
    );
    expect(shape).toEqual({
      kind: 'form',
      fields: [
        { name: 'a', value: '1' },
        { name: 'b', value: 'two words' },
        { name: 'c', value: '\u00e9&' },
        { name: '%zz', value: '%ff' },
        { name: 'd', value: '' },
      ],
    });
  });

  it('has the parts of a multipart body, texts and bytes', () => {
    const body = Buffer.concat([
      Buffer.from(
        'preamble\r\n--X\r\nContent-Disposition: form-data; name="title"\r\n\r\nTwo\r\nlines\r\n--X\r\n' +
          'Content-Disposition: form-data; name="f\\"1"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n',
      ),
      Buffer.from([0x89, 0xff, 0x0d, 0x0a]),
      Buffer.from('\r\n--X--\r\n'),
    ]);
    const content = { body: null, bodyBase64: body.toString('base64') };
    const { shape } = readBody({ ...content, contentType: 'multipart/form-data; boundary="X"' });
    expect(shape).toMatchObject({
      kind: 'multipart',
      parts: [
        { name: 'title', fileName: undefined, type: undefined, text: 'Two\r\nlines' },
        { name: 'f"1', fileName: 'a.png', type: 'image/png', text: undefined },
      ],
    });
    const parts = shape.kind === 'multipart' ? shape.parts : [];
    expect([...parts[1]!.bytes]).toEqual([0x89, 0xff, 0x0d, 0x0a]);
  });

  it.each(['--X', '--X\r\nno end', 'nothing', '--X--', ''])(
    'shows %j as text when it has no parts',
    (text) => {
      expect(read(text, 'multipart/form-data; boundary=X').shape.kind).toBe('text');
    },
  );

  it('shows bytes that happen to be UTF-8, with control characters, as binary', () => {
    const text = '\n\x02u1\x12\x05hello';
    expect(read(text, 'application/x-protobuf')).toEqual({
      text,
      shape: { kind: 'controls', bytes: new TextEncoder().encode(text) },
      note: 'binary',
    });
    expect(read('\t\u001b[1mred\r\n').shape.kind).toBe('text');
    expect(read(text, 'text/plain').shape.kind).toBe('text');
  });

  it('shows bytes that are no text as binary, and copies them as base64', () => {
    expect(readBody({ body: null, bodyBase64: 'AP/+' })).toMatchObject({
      text: 'AP/+',
      shape: { kind: 'binary', bytes: new Uint8Array([0, 255, 254]) },
    });
  });

  it('says that a body was inflated', () => {
    expect(readBody({ body: '{}', bodyBase64: 'H4sI' }).note).toBe('inflated from gzip');
  });
});
