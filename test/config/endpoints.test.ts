import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/document.js';
import { endpointsOf } from '../../src/config/endpoints.js';
import { checkConfig } from '../../src/config/schema.js';
import type { Endpoint } from '../../src/webhook/endpoint.js';

/** The endpoints of the webhooks in a profile with these lines. */
function endpointsIn(...lines: string[]): Endpoint[] {
  const text = ['profiles:', '  p:', '    webhooks:', ...lines.map((line) => `      ${line}`)];
  const document = parseConfig(text.join('\n'), 'c.yaml');
  const { webhooks } = checkConfig(document).profiles!.p!;
  return endpointsOf(webhooks!, ['profiles', 'p', 'webhooks'], document.where, {});
}

const first = 'endpoints: [{ url: http://a/ }]';

describe('the endpoints of a target in the file', () => {
  it('have settings of their own, in the units of the program', () => {
    const [endpoint] = endpointsIn(
      'endpoints:',
      '  - url: http://a/',
      '    types: [track, identify]',
      "    events: ['Order *']",
      "    where: ['properties.total>=100']",
      '    retryStatus: [403, 404]',
      '    headers: { X-Team: growth }',
      '    timeout: 5s',
      '    concurrency: 16',
      '    rate: 90/m',
    );
    expect(endpoint).toEqual({
      ...{ url: 'http://a/', headers: { 'X-Team': 'growth' } },
      ...{ types: ['track', 'identify'], events: ['Order *'], where: ['properties.total>=100'] },
      ...{ retryStatus: [403, 404], timeoutMs: 5_000, concurrency: 16, rate: 1.5 },
    });
  });

  it('have those of their target where they have none', () => {
    const endpoints = endpointsIn(
      'types: [track]',
      'where: [userId]',
      'timeout: 2s',
      'rate: 100',
      'endpoints:',
      '  - { url: http://a/, types: [page], timeout: 1s }',
      '  - { url: http://b/, where: [], concurrency: 3 }',
    );
    expect(endpoints).toEqual([
      { url: 'http://a/', types: ['page'], where: ['userId'], timeoutMs: 1_000, rate: 100 },
      ...[
        {
          url: 'http://b/',
          types: ['track'],
          where: [],
          timeoutMs: 2_000,
          rate: 100,
          concurrency: 3,
        },
      ],
    ]);
  });

  it.each<[string, string[]]>([
    ['c.yaml:4: profiles.p.webhooks.types must not be empty', ['types: []', first]],
    [
      'c.yaml:4: profiles.p.webhooks.endpoints[0].events must not be empty',
      ['endpoints: [{ url: http://a/, events: [] }]'],
    ],
    [
      'c.yaml:4: profiles.p.webhooks.types has "trak", which is not a type; did you mean track?',
      ['types: [trak]', first],
    ],
    [
      'c.yaml:6: profiles.p.webhooks.endpoints[0].events can never fit',
      ['types: [identify]', 'endpoints:', "  - { url: http://a/, events: ['Order'] }"],
    ],
    [
      'c.yaml:6: profiles.p.webhooks.endpoints[0].where[1] !a can never hold beside a=1',
      ['endpoints:', '  - url: http://a/', "    where: ['a=1', '!a']"],
    ],
    [
      'c.yaml:4: profiles.p.webhooks.where[0] total>=many: >= compares numbers',
      ["where: ['total>=many']", first],
    ],
    [
      'c.yaml:4: profiles.p.webhooks.retryStatus must be a list of statuses from 400 to 599',
      ['retryStatus: [200]', first],
    ],
    [
      'c.yaml:4: profiles.p.webhooks.endpoints[0].retryStatus must be a list of statuses from 400 to 599',
      ['endpoints: [{ url: http://a/, retryStatus: [301] }]'],
    ],
    ['c.yaml:4: profiles.p.webhooks.timeout must be a duration above 0', ['timeout: 0s', first]],
    [
      'c.yaml:4: profiles.p.webhooks.rate is not a valid rate; use e.g. 500/s',
      ['rate: fast', first],
    ],
    ['c.yaml:4: profiles.p.webhooks.concurrency must be 1 or more', ['concurrency: 0', first]],
    [
      'c.yaml:4: profiles.p.webhooks.tpyes is not a known key; did you mean types?',
      ['tpyes: [track]', first],
    ],
  ])('are refused with file and line: %s', (message, lines) => {
    expect(() => endpointsIn(...lines)).toThrow(message);
  });
});
