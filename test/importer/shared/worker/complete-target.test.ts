import { describe, expect, it } from 'vitest';
import {
  checkValue,
  headersCheck,
  queryCheck,
  secretsCheck,
} from '../../../../src/importer/shared/check-value.js';
import type { PlannedSigning, PlannedTarget } from '../../../../src/importer/shared/plan.js';
import { completeTarget } from '../../../../src/importer/shared/worker/complete-target.js';
import { Refusal } from '../../../../src/importer/shared/worker/refusal.js';
import type { OwnParts } from '../../../../src/importer/shared/worker/own-parts.js';
import { signingBy } from '../../../helpers/signing.js';
import { noSources } from '../../../helpers/item-context.js';
import { webhookTo } from '../../../helpers/planned-run.js';

const nothing: OwnParts = {
  secrets: [],
  headers: [],
  endpoints: [],
  writeKey: undefined,
  ca: [],
  clientCertificate: undefined,
  sources: noSources,
};

const url = 'https://example.com/hook';

/** The plan of one way to sign. */
function planned(...secrets: string[]): PlannedSigning {
  const [{ scheme }] = signingBy('x-signature');
  return { scheme, secretCheck: secretsCheck(secrets), secretCount: secrets.length };
}

function refusal(target: PlannedTarget, own: Partial<OwnParts> = {}): string {
  try {
    completeTarget(target, { ...nothing, ...own });
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return 'none';
}

function endpointsOf(target: PlannedTarget, own: Partial<OwnParts> = {}) {
  const settings = completeTarget(target, { ...nothing, ...own });
  return settings.kind === 'webhooks' ? settings.endpoints : [];
}

describe('the target of a plan on a worker', () => {
  it('needs nothing where the plan names nothing', () => {
    const settings = completeTarget(webhookTo([url]), nothing);
    expect(settings).toMatchObject({ kind: 'webhooks', timeoutMs: 5_000, retryWindowMs: 60_000 });
    expect(endpointsOf(webhookTo([url]))).toEqual([{ url, headers: [] }]);
  });

  it('has the certificates of the endpoint in its own profile, and needs them where the plan says so', () => {
    const plain = webhookTo([url]);
    const [endpoint] = plain.endpoints;
    const target = { ...plain, endpoints: [{ ...endpoint!, usesTls: true }] } as PlannedTarget;
    const tls = { clientCertificate: { cert: 'C', key: 'K' } };
    expect(endpointsOf(target, { endpoints: [{ url, tls }] })).toEqual([{ url, headers: [], tls }]);
    expect(endpointsOf(target, { clientCertificate: tls.clientCertificate })).toHaveLength(1);
    const other = { endpoints: [{ url: 'https://example.com/other', tls }] };
    expect(refusal(target, other)).toBe(
      'needs the certificates for https://example.com/hook; use --profile with that URL and its tls',
    );
    expect(endpointsOf(plain, { endpoints: [{ url, tls }] })).toEqual([{ url, headers: [] }]);
  });

  it('leaves out what the plan does not name', () => {
    const own = {
      secrets: ['secret'],
      headers: [['X-Extra', '1']] as const,
      endpoints: [{ url: `${url}?token=1` }],
    };
    const settings = completeTarget(webhookTo([url]), { ...nothing, ...own });
    expect(settings).not.toHaveProperty('signing');
    expect(endpointsOf(webhookTo([url]), own)).toEqual([{ url, headers: [] }]);
  });

  it('needs the secret of the plan', () => {
    const target = webhookTo([url], { signing: [planned('right')] });
    expect(refusal(target)).toMatch(/^needs the shared secret; set EVFWD_SECRET/);
    expect(refusal(target, { secrets: ['wrong'] })).toMatch(/^its shared secret differs from this/);
    const settings = completeTarget(target, { ...nothing, secrets: ['right'] });
    expect(settings).toMatchObject({ signing: signingBy('x-signature', 'right') });
  });

  it('needs all secrets of a rotation, in their order', () => {
    const scheme = signingBy('stripe')[0].scheme;
    const target = webhookTo([url], { signing: [{ ...planned('new', 'old'), scheme }] });
    expect(refusal(target, { secrets: ['new'] })).toMatch(
      /^needs 2 shared secrets, newest first, not 1; check EVFWD_SECRET/,
    );
    expect(refusal(target, { secrets: ['old', 'new'] })).toMatch(/^its shared secret differs/);
    const settings = completeTarget(target, { ...nothing, secrets: ['new', 'old'] });
    expect(settings).toMatchObject({ signing: signingBy('stripe', 'new', 'old') });
  });

  it('needs the secret of the second scheme, which may be the same one', () => {
    const github = signingBy('github')[0].scheme;
    const signing = (secret: string) => [planned('first'), { ...planned(secret), scheme: github }];
    const target = webhookTo([url], { signing: signing('second') });
    expect(refusal(target, { secrets: ['first'] })).toBe(
      'needs the secret of --also-scheme github; use --also-secret-file',
    );
    expect(refusal(target, { secrets: ['first'], alsoSecret: 'wrong' })).toMatch(
      /^its secret of --also-scheme github differs from this worker's; check --also-secret-file/,
    );
    const own = { ...nothing, secrets: ['first'], alsoSecret: 'second' };
    expect(completeTarget(target, own)).toMatchObject({
      signing: [...signingBy('x-signature', 'first'), ...signingBy('github', 'second')],
    });
    expect(completeTarget(webhookTo([url], { signing: signing('first') }), own)).toMatchObject({
      signing: [...signingBy('x-signature', 'first'), ...signingBy('github', 'first')],
    });
  });

  it('needs every header of the plan, by name, as often as the plan has it', () => {
    const token = ['Authorization', 'Bearer t'] as const;
    const twice = [token, ['X-A', '1'], ['x-a', '2']] as const;
    const names = { headerNames: ['authorization', 'x-a', 'x-a'] };
    const endpoint = {
      url,
      ...{ settings: {}, usesAuth: false },
      queryCheck: null,
      ...names,
      headersCheck: headersCheck(twice),
    };
    const target = webhookTo([], { endpoints: [endpoint] });
    expect(refusal(target)).toBe(
      `needs the header authorization for ${url}; use --header, or --profile with that URL`,
    );
    expect(refusal(target, { headers: [token, ['X-A', '1']] })).toMatch(
      /^needs 2, not 1, of the header x-a/,
    );
    expect(endpointsOf(target, { headers: twice })).toEqual([{ url, headers: twice }]);
  });

  it('needs the values of the headers, by the names and without a value', () => {
    const planned = (headers: Record<string, string>) => ({
      ...{
        url,
        ...{ settings: {}, usesAuth: false },
        queryCheck: null,
        headersCheck: headersCheck(headers),
      },
      headerNames: Object.keys(headers).map((name) => name.toLowerCase()),
    });
    const right = { Authorization: 'Bearer right', 'X-A': '1' };
    const one = webhookTo([], { endpoints: [planned({ Authorization: 'Bearer right' })] });
    const two = webhookTo([], { endpoints: [planned(right)] });
    const own = (token: string) => ({
      headers: [
        ['Authorization', token],
        ['x-a', '1'],
      ] as const,
    });
    expect(refusal(one, own('Bearer wrong'))).toBe(
      `the value of the header authorization for ${url} differs from this worker's; check --header or the profile`,
    );
    expect(refusal(two, own('Bearer wrong'))).toBe(
      `the value of at least one of the headers authorization, x-a for ${url} differs from this worker's; check --header or the profile`,
    );
    expect(refusal(two, { endpoints: [{ url, headers: { ...right, 'X-A': '2' } }] })).toMatch(
      /^the value of at least one/,
    );
    expect(refusal(one, own('Bearer right'))).toBe('none');
    expect(refusal(two, { endpoints: [{ url, headers: right }] })).toBe('none');
  });

  it('takes headers from the URL of a profile, unless a flag has them', () => {
    const targetWith = (value: string) =>
      webhookTo([], {
        endpoints: [
          {
            ...{
              url,
              ...{ settings: {}, usesAuth: false },
              queryCheck: null,
              headerNames: ['authorization'],
            },
            headersCheck: headersCheck({ authorization: value }),
          },
        ],
      });
    const endpoints = [
      { url: 'https://example.com/other', headers: { Authorization: 'other' } },
      { url, headers: { Authorization: 'mine', 'X-More': '1' } },
    ];
    expect(endpointsOf(targetWith('mine'), { endpoints })).toEqual([
      { url, headers: [['Authorization', 'mine']] },
    ]);
    const headers = [['authorization', 'flag']] as const;
    expect(endpointsOf(targetWith('flag'), { endpoints, headers })).toEqual([{ url, headers }]);
  });

  it('needs the query of a URL that has one', () => {
    const whole = `${url}?token=1`;
    const endpoint = {
      url,
      ...{ settings: {}, usesAuth: false },
      queryCheck: queryCheck(whole),
      headerNames: [],
      headersCheck: null,
    };
    const target = webhookTo([], { endpoints: [endpoint] });
    expect(refusal(target)).toMatch(/^needs the query of https:\/\/example.com\/hook; pass/);
    expect(refusal(target, { endpoints: [{ url }] })).toMatch(/^needs the query/);
    expect(refusal(target, { endpoints: [{ url: `${url}?token=2` }] })).toMatch(
      /^the query of https:\/\/example.com\/hook differs from this worker's; check --url/,
    );
    const endpoints = [{ url: `${url}?token=2` }, { url: whole }];
    expect(endpointsOf(target, { endpoints })).toEqual([{ url: whole, headers: [] }]);
  });

  it('takes the headers of the endpoint with the same query', () => {
    const [one, two] = [`${url}?n=1`, `${url}?n=2`];
    const endpoints = [one, two].map((each, i) => ({ url: each, headers: { 'X-N': `${i + 1}` } }));
    const planned = endpoints.toReversed().map(({ url: each, headers }) => ({
      ...{ url, settings: {}, usesAuth: false },
      queryCheck: queryCheck(each),
      headerNames: ['x-n'],
      headersCheck: headersCheck(headers),
    }));
    expect(endpointsOf(webhookTo([], { endpoints: planned }), { endpoints })).toEqual([
      { url: two, headers: [['X-N', '2']] },
      { url: one, headers: [['X-N', '1']] },
    ]);
  });

  it('needs certificates where the planner had some', () => {
    const clientCertificate = { cert: 'c', key: 'k' };
    expect(refusal(webhookTo([url], { usesCa: true }))).toMatch(/--ca$/);
    expect(refusal(webhookTo([url], { usesClientCertificate: true }))).toMatch(/--cert and --key$/);
    const target = webhookTo([url], { usesCa: true, usesClientCertificate: true });
    const settings = completeTarget(target, { ...nothing, ca: ['pem'], clientCertificate });
    expect(settings).toMatchObject({ ca: ['pem'], clientCertificate });
  });

  it('has its own proxies: those of --proxy, else those of its profile', () => {
    const endpoints = [{ url, proxy: 'http://profile:1' }];
    const proxyOf = (): string => 'http://flag:1';
    const proxies = (own: Partial<OwnParts>) =>
      endpointsOf(webhookTo([url], { usesProxy: true }), own).map(({ proxy }) => proxy);
    expect(proxies({ endpoints })).toEqual(['http://profile:1']);
    expect(proxies({ endpoints, proxyOf })).toEqual(['http://flag:1']);
    // By --proxy env: it is reached from here.
    expect(proxies({ endpoints, proxyOf: () => undefined })).toEqual([undefined]);
    expect(endpointsOf(webhookTo([url]), { endpoints })[0]?.proxy).toBe('http://profile:1');
  });

  it('needs a proxy where the planner had one', () => {
    const target = webhookTo([url], { usesProxy: true });
    expect(refusal(target)).toMatch(/needs a proxy; use --proxy/);
    expect(refusal(target, { endpoints: [{ url: 'https://other/', proxy: 'http://p' }] })).toMatch(
      /needs a proxy/,
    );
  });

  it('needs the write key of a collector', () => {
    const { timeoutMs, retryWindowMs, allUrls, ignoreIntegrations } = webhookTo([url]);
    const target: PlannedTarget = {
      kind: 'collector',
      ...{ timeoutMs, retryWindowMs, allUrls, ignoreIntegrations },
      usesCa: false,
      usesClientCertificate: false,
      usesProxy: false,
      endpoint: url,
      queryCheck: null,
      writeKeyCheck: checkValue('right'),
    };
    expect(refusal(target)).toMatch(/^needs the write key; set EVFWD_WRITE_KEY/);
    expect(refusal(target, { writeKey: 'wrong' })).toMatch(
      /^its write key differs from this worker's/,
    );
    const settings = completeTarget(target, { ...nothing, writeKey: 'right' });
    expect(settings).toMatchObject({ kind: 'collector', endpoint: url, writeKey: 'right' });
  });

  it('never shows a value in a refusal', () => {
    const names = { headerNames: ['authorization'], headersCheck: 'ffff' };
    const endpoint = { url, ...{ settings: {}, usesAuth: false }, queryCheck: 'ffff', ...names };
    const own = {
      secrets: ['hidden'],
      headers: [['Authorization', 'hidden']] as const,
      endpoints: [{ url: `${url}?token=hidden` }],
      writeKey: 'hidden',
    };
    const targets = [
      webhookTo([], { endpoints: [endpoint] }),
      webhookTo([url], { signing: [{ ...planned('other'), secretCheck: 'ffff' }] }),
      webhookTo([], { endpoints: [{ ...endpoint, queryCheck: null }] }),
      webhookTo([], { endpoints: [{ ...endpoint, queryCheck: null, headerNames: ['x-b'] }] }),
    ];
    const messages = targets.map((target) => refusal(target, own));
    expect(messages.join('\n')).not.toMatch(/hidden|ffff|none/);
  });
});
