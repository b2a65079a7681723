import { describe, expect, it, vi } from 'vitest';
import { RawFilters } from '../../../src/serve/raw/filters.js';
import { RawRequest, type RawHead } from '../../../src/serve/raw/raw-request.js';

const head: RawHead = {
  ...{ method: 'POST', path: '/in/x?a=1', sourcePathLength: 5, headers: ['X-Kind', 'Push'] },
  ...{ remoteAddress: null, isTls: false, signature: 'unchecked', scheme: null, reason: null },
};

function requestOf(body: string | Buffer) {
  const request = RawRequest.of(head, Buffer.from(body), 'hooks');
  return { request, bodyReads: vi.spyOn(request, 'body', 'get') };
}

const filtersOf = (...where: string[]) => RawFilters.of([{ where }])!;

describe('the conditions of an endpoint', () => {
  it('look at a request once, however often they are asked', () => {
    const { request, bodyReads } = requestOf('{"total":5}');
    const filters = filtersOf('body.total>=5');
    expect(filters.wantedBy(request)).toBe(1);
    const once = bodyReads.mock.calls.length;
    expect([filters.wantedBy(request), filters.wantedBy(request)]).toEqual([1, 1]);
    expect(bodyReads).toHaveBeenCalledTimes(once);
  });

  it('do not read the body unless they are about it', () => {
    const { request, bodyReads } = requestOf('{"total":5}');
    expect(filtersOf('method=POST', 'header.X-Kind=Push', 'path=/in/x').wantedBy(request)).toBe(1);
    expect(bodyReads).not.toHaveBeenCalled();
    expect(filtersOf('!body.total').wantedBy(request)).toBe(0);
    expect(filtersOf('body').wantedBy(request)).toBe(1);
  });

  it.each([
    [' {"a":1} ', 1],
    ['[]', 0],
    ['{"a":1', 0],
    ['{"a":1}}', 0],
    ['{"a":1,}', 0],
    ['', 0],
    [Buffer.from([0x7b, 0xff]), 0],
  ])('see the members of a body that is JSON: %j', (body, wanted) => {
    expect(filtersOf('body.a=1').wantedBy(requestOf(body).request)).toBe(wanted);
  });

  it('take a body of more than 200 levels for no JSON', () => {
    const nested = (levels: number): string =>
      `{"a":1,"b":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const wanted = [200, 201, 100_000].map((levels) =>
      filtersOf('body.a=1').wantedBy(requestOf(nested(levels)).request),
    );
    expect(wanted).toEqual([1, 0, 0]);
  });
});
