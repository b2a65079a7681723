import { describe, expect, it } from 'vitest';
import type { RequestDetail } from '../../../../src/api/listen.js';
import { draftOf, editedOf, isJson, problemOf } from '../../../../pages/listen/edit/draft.js';
import { row } from '../rows.js';

function detail(change: Partial<RequestDetail>): RequestDetail {
  return {
    row: row(1),
    headers: [],
    body: '',
    bodyBase64: null,
    signsAgain: null,
    explanation: null,
    events: [],
    signature: null,
    response: { headers: [], body: '', note: null },
    ownResponse: null,
    commands: { curl: '', evfwd: null, evfwdCommand: null },
    ...change,
  };
}

const bytesOf = ({ body, bodyBase64 }: { body?: string; bodyBase64?: string }): Buffer =>
  bodyBase64 === undefined ? Buffer.from(body!) : Buffer.from(bodyBase64, 'base64');

describe('a draft', () => {
  it.each([
    '',
    '{"a":1}\n',
    'a\r\nb\r\n',
    'a\r\nb\n',
    'a\rb',
    '\r',
    '\ufeffx\0',
    'ü\r\n\ud83d\ude00',
  ])('of %j that is not changed is sent as it was received', (body) => {
    expect(bytesOf(editedOf(draftOf(detail({ body }))))).toEqual(Buffer.from(body));
  });

  it('of bytes is edited as base64', () => {
    const draft = draftOf(detail({ body: null, bodyBase64: 'AP/+' }));
    expect(draft).toMatchObject({ body: 'AP/+', form: 'base64' });
    expect(editedOf({ ...draft, body: 'AP\n/+ ' }).bodyBase64).toBe('AP/+');
    expect(() => editedOf({ ...draft, body: '%' })).toThrow(/not valid base64/);
  });

  it('of an inflated body is sent inflated', () => {
    const headers = [
      ['Content-Encoding', 'gzip'],
      ['X-A', '1'],
    ] as const;
    expect(draftOf(detail({ body: '{}', bodyBase64: 'H4sI', headers })).headers).toBe('X-A: 1');
  });

  it('has the headers, without those of the connection', () => {
    const headers = [
      ['Host', 'a'],
      ['Content-Length', '3'],
      ['X-A', '1'],
      ['X-A', 'b: c'],
    ] as const;
    const draft = draftOf(detail({ headers }));
    expect(draft.headers).toBe('X-A: 1\nX-A: b: c');
    expect(editedOf(draft).headers).toEqual([
      ['X-A', '1'],
      ['X-A', 'b: c'],
    ]);
    expect(() => editedOf({ ...draft, headers: 'X-A: 1\nnone' })).toThrow(/line 2/);
  });

  it.each([
    ['Content-Type: application/json', '{"a":1,}', 'not JSON: line 1, column 8'],
    ['content-type:application/json', 'a', 'not JSON: line 1, column 1'],
    ['', '{\n"a"', 'not JSON: it ends too early'],
    ['Content-Type: text/plain', 'a', undefined],
    ['', '', undefined],
    ['', '[1]', undefined],
  ])('with the headers %j and the body %j has the problem %j', (headers, body, problem) => {
    const draft = { headers, body, form: 'text' } as const;
    expect(problemOf(draft)).toBe(problem);
    expect(isJson(draft)).toBe(body === '[1]');
  });
});
