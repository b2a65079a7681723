import { describe, expect, it } from 'vitest';
import { startCollecting } from './collect/collecting.js';
import { githubSignature, relay, talk } from './raw/relaying.js';
import { serving, until, type Serving } from './serving.js';

const secret = 's3cret';
const verified = { source: `scheme: github\nsecret: ${secret}` };

/** The counts of `evfwd_events_…_total`, by their labels. */
async function counted({ url }: Serving, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/_evfwd/metrics`)).text();
  const lines = text.matchAll(new RegExp(`^evfwd_events_${name}_total{(.*)} (\\d+)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, labels, count]) => [labels!, Number(count)]));
}

describe('a request that has no handler', () => {
  it.each([
    ['is malformed', 'abc\r\n\r\n', 'bad_request'],
    [
      'has too large headers',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`,
      'request_header_fields_too_large',
    ],
    ['asks for a tunnel', 'CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n', 'method_not_allowed'],
  ])(
    'and %s is counted and logged as other refused ones, with one line for many',
    async (_, bytes, code) => {
      const at = await serving(await relay('http://127.0.0.1:9', verified));
      for (let n = 0; n < 3; n++) await talk(at.url, bytes);
      expect((await at.api('overview')).refused).toMatchObject([{ code, source: null, count: 3 }]);
      expect(await counted(at, 'rejected')).toEqual({ [`source="",code="${code}"`]: 3 });
      const lines = at.logged.filter((line) => line.includes(code));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^warn requests refused: /);
    },
  );
});

describe('a request that is refused before the end of its body', () => {
  it('and is malformed is counted once, for its source, with the code that its sender gets', async () => {
    const at = await serving(await relay('http://127.0.0.1:9', verified));
    const chunked =
      'POST /in/hooks HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    expect(await talk(at.url, chunked)).toMatch(/^HTTP\/1\.1 400 .*"bad_request"/s);
    await until(
      () => at.api('overview'),
      ({ refused }) => refused.length > 0,
    );
    expect(await counted(at, 'rejected')).toEqual({ 'source="hooks",code="bad_request"': 1 });
    expect(at.logged.join('\n')).not.toContain('aborted');
  });

  it('and is too slow is counted as request_timeout, not as aborted', async () => {
    const timeouts = { requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 };
    const at = await startCollecting({ timeouts });
    const answer = await talk(
      at.url,
      'POST /v1/batch HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    await until(
      () => Promise.resolve(at.refusals),
      ({ length }) => length > 0,
    );
    expect(at.refusals).toMatchObject([{ code: 'request_timeout', status: 408 }]);
  });
});

it('refused requests of a raw source are among those that it received, in the overview and the metrics', async () => {
  const at = await serving(await relay('http://127.0.0.1:9', verified));
  const post = async (headers: Record<string, string>): Promise<void> => {
    await fetch(`${at.url}/in/hooks`, { method: 'POST', body: '{}', headers });
  };
  await post({ 'x-hub-signature-256': githubSignature('{}', secret) });
  for (let n = 0; n < 3; n++) await post({});
  const { sources, refused } = await at.api('overview');
  expect(sources).toMatchObject([{ received: 4, rejected: 3 }]);
  expect(refused).toMatchObject([{ code: 'signature_invalid', source: 'hooks', count: 3 }]);
  expect(await counted(at, 'received')).toEqual({ 'source="hooks"': 4 });
  expect(await counted(at, 'rejected')).toEqual({ 'source="hooks",code="signature_invalid"': 3 });
});
