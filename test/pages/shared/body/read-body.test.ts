import { describe, expect, it } from 'vitest';
import type { RequestDetail } from '../../../../src/api/listen.js';
import { readBody } from '../../../../pages/shared/body/read-body.js';
import { row } from '../../listen/rows.js';

function detail(body: string | null, bodyBase64: string | null = null): RequestDetail {
  const commands = { curl: '', evfwd: '' };
  return { row: row(1), headers: [], body, bodyBase64, explanation: null, commands };
}

describe('readBody', () => {
  it('has a tree for JSON', () => {
    expect(readBody(detail('{"a":1}'))).toMatchObject({
      text: '{"a":1}',
      root: { kind: 'object' },
      note: undefined,
    });
  });

  it.each([
    ['a=1&b=2', 'not JSON: line 1, column 1'],
    ['{\n  "a": tru\n}', 'not JSON: line 2, column 8'],
    ['{"a":', 'not JSON: it ends too early'],
  ])('says where %j is no JSON', (text, note) => {
    expect(readBody(detail(text))).toEqual({ text, root: undefined, note });
  });

  it('says that there is nothing', () => {
    expect(readBody(detail(''))).toEqual({ text: '', root: undefined, note: 'empty' });
  });

  it('shows base64 where there is no text', () => {
    expect(readBody(detail(null, 'AP/+'))).toMatchObject({ text: 'AP/+', root: undefined });
  });
});
