import { createHash, scryptSync } from 'node:crypto';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { TargetSettings } from '../../../src/config/open-target.js';
import { queryCheck } from '../../../src/importer/shared/check-value.js';
import { identityOf, publicHashOf, runNameOf } from '../../../src/importer/shared/identity.js';
import { makePlan, type PlanRequest } from '../../../src/importer/shared/make-plan.js';
import type { Plan } from '../../../src/importer/shared/plan.js';
import type { SigningSettings } from '../../../src/sign/request-signer.js';
import type { Input } from '../../../src/sources/input.js';
import type { RemoteOptions } from '../../../src/sources/remote/remote-sources.js';
import { systemClock } from '../../../src/clock.js';
import { withoutQuery } from '../../../src/http/url.js';
import { countRanges, rangesOf } from '../../../src/importer/shared/plan-ranges.js';
import { fileOf } from '../../sources/formats/parquet-files.js';
import { signingBy, standardSecret } from '../../helpers/signing.js';
import { folderWith } from '../../helpers/folder.js';

const shared = { timeoutMs: 5_000, retryWindowMs: 1, allUrls: false, ignoreIntegrations: false };
const endpoint = {
  url: 'https://h/hook?token=query-secret',
  headers: [['X-Key', 'header-secret']],
  proxy: 'http://user:proxy-secret@proxy-host-secret:3128',
} as const;
const webhooks: TargetSettings = {
  ...{ kind: 'webhooks', where: '--url', ca: ['PEM-OF-CA'], ...shared },
  endpoints: [endpoint],
  signing: signingBy('x-signature', 'shared-secret'),
  clientCertificate: { cert: 'CERT', key: 'PRIVATE' },
};
const collector: Extract<TargetSettings, { kind: 'collector' }> = {
  ...{ kind: 'collector', where: '--endpoint', ca: [], ...shared },
  ...{ endpoint: 'https://c/?q=query-secret', writeKey: 'write-key-secret' },
};

const remote: RemoteOptions = {
  headers: [['Authorization', 'Bearer header-secret']],
  ...{ ca: 'PEM-OF-CA', s3Endpoint: 'http://minio:9000', s3Region: undefined, proxyOf: undefined },
  ...{ env: { AWS_SECRET_ACCESS_KEY: 'aws-secret' }, home: '/', clock: systemClock, fetch },
  readFile: () => Promise.reject(new Error('not here')),
};

function plan(more: Partial<PlanRequest> = {}): Promise<Plan> {
  return makePlan({
    remote,
    ...{ inputs: [], settings: webhooks, selection: {}, ids: 'keep' },
    ...{ isOrdered: false, rate: null, stopAfter: null },
    ...{ changes: undefined, deadLettersChanged: false, ...more },
  });
}

/** What is behind a URL. */
function urlInput(url: string): Input {
  const id = url.startsWith('s3:') ? url : withoutQuery(url);
  const access = { size: 3, read: () => nothing() };
  const object = { id, url, version: '"one"', read: () => nothing(), access };
  return { name: id, size: 3, isFile: true, layout: 'plain', object };
}

async function* nothing(): AsyncGenerator<Buffer> {
  // Planning reads nothing of it.
}

async function identity(more: Partial<PlanRequest> = {}, since?: string): Promise<string> {
  return identityOf(await plan(more), { since, until: undefined }, more.settings ?? webhooks);
}

describe('a plan', () => {
  it('has no secret: neither keys, nor header values, nor queries, nor certificates', async () => {
    const inputs = [urlInput('https://user:secret@h/a.ndjson?sig=query-secret')];
    const text = JSON.stringify([await plan({ inputs }), await plan({ settings: collector })]);
    for (const secret of ['secret', 'PEM-OF-CA', 'CERT', 'PRIVATE']) {
      expect(text.replaceAll(/secret(Check|Count)|"secret":/g, '')).not.toContain(secret);
    }
  });

  it('has both schemes as a whole, and one check value for all secrets of each', async () => {
    const signing = [
      ...signingBy('standard-webhooks', standardSecret, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
      ...signingBy('github', 'also'),
    ];
    const { target } = await plan({ settings: { ...webhooks, signing } });
    const check = expect.stringMatching(/^[\da-f]{4}$/) as string;
    expect(JSON.parse(JSON.stringify(target))).toMatchObject({
      signing: [
        { scheme: signing[0]!.scheme, secretCheck: check, secretCount: 2 },
        { scheme: signing[1]!.scheme, secretCheck: check, secretCount: 1 },
      ],
    });
    expect(JSON.stringify(target)).not.toMatch(/whsec_[\w+]|also/);
  });

  it('has check values of four hex digits, and the names of headers', async () => {
    expect((await plan()).target).toMatchObject({
      signing: [{ secretCheck: expect.stringMatching(/^[\da-f]{4}$/), secretCount: 1 }],
      usesCa: true,
      usesClientCertificate: true,
      usesProxy: true,
      endpoints: [
        {
          url: 'https://h/hook',
          queryCheck: expect.stringMatching(/^[\da-f]{4}$/),
          headerNames: ['x-key'],
          headersCheck: expect.stringMatching(/^[\da-f]{4}$/),
        },
      ],
    });
    expect((await plan({ settings: collector })).target).toMatchObject({
      ...{ kind: 'collector', endpoint: 'https://c/', usesProxy: false },
      ...{
        queryCheck: expect.stringMatching(/^[\da-f]{4}$/),
        writeKeyCheck: expect.stringMatching(/^[\da-f]{4}$/),
      },
    });
  });

  it('has the absolute path, the size, whole milliseconds and the kind of each file', async () => {
    const folder = folderWith({ 'a.ndjson': '{}\n', 'b.gz': gzipSync('{}\n') });
    const path = join(folder, 'a.ndjson');
    utimesSync(path, 1.0009, 1.0009);
    const inputs = ['a.ndjson', 'b.gz'].map((name) => ({
      name: join(folder, name),
      size: 3,
      isFile: true,
    }));
    const [plain, zipped] = (await plan({ inputs })).files;
    expect(plain).toEqual({ path, size: 3, modifiedMs: 1_000, isWhole: false });
    expect(zipped).toMatchObject({ isWhole: true });
  });

  it('has the URL, size and version of what is behind one, and how to read it', async () => {
    const url = 'https://h/a.ndjson?sig=query-secret';
    const { files, sources } = await plan({
      inputs: [urlInput(url), urlInput('s3://logs/b c.ndjson')],
    });
    const state = { size: 3, modifiedMs: 0, version: '"one"', isWhole: false };
    expect(files).toEqual([
      { path: 'https://h/a.ndjson', ...state, isPartialUrl: true },
      { path: 's3://logs/b c.ndjson', ...state },
    ]);
    expect(sources).toEqual({
      ...{ headerNames: ['authorization'], usesCa: true },
      ...{ s3Endpoint: 'http://minio:9000', s3Region: null },
    });
    expect((await plan()).sources).toBeNull();
  });

  it('has the row groups of a Parquet file, which are its parts unless users keep their order', async () => {
    const file = fileOf([{ name: 'n', data: [1, 2, 3, 4, 5] }], { rowGroupSize: 2 });
    const folder = folderWith({ 'a.parquet': file });
    const name = join(folder, 'a.parquet');
    const input = { name, size: file.length, isFile: true, layout: 'rows' as const };
    const cut = await plan({ inputs: [input] });
    expect(cut.files).toMatchObject([{ isWhole: false, rowGroups: [2, 2, 1] }]);
    const ranges = (one: Plan) => [...rangesOf(one)].map(([id, { from, to }]) => [id, from, to]);
    expect(ranges(cut)).toEqual([
      ['0-0', 0, 2],
      ['0-2', 2, 4],
      ['0-4', 4, 5],
    ]);
    expect(countRanges(cut)).toBe(3);
    const ordered = await plan({ inputs: [input], isOrdered: true });
    expect(ranges(ordered)).toEqual([['0-0', 0, null]]);
    expect(countRanges(ordered)).toBe(1);
  });

  it('keeps a selection as plain data', async () => {
    const { selection } = await plan({
      selection: { since: 5, users: new Set(['u']), sample: 0.1 },
    });
    expect(selection).toEqual({ since: 5, users: ['u'], sample: 0.1 });
  });
});

describe('the identity of an import', () => {
  it('is the same for the same call, whatever its speed and the state of its files', async () => {
    const folder = folderWith({ 'a.ndjson': '1' });
    const inputs = [{ name: join(folder, 'a.ndjson'), size: 1, isFile: true }];
    const first = await identity({ inputs });
    writeFileSync(join(folder, 'a.ndjson'), '22');
    expect(await identity({ inputs, rate: 5, stopAfter: { events: 1 } })).toBe(first);
  });

  it('takes a relative time as it was typed', async () => {
    const at = (since: number) => identity({ selection: { since } }, '36h');
    expect(await at(1)).toBe(await at(2));
    expect(await identity({ selection: { since: 1 } }, '35h')).not.toBe(await at(1));
  });

  it('does not depend on how the same secret signs', async () => {
    const by = (...signing: SigningSettings[]) => identity({ settings: { ...webhooks, signing } });
    const [first] = signingBy('x-signature', 'shared-secret');
    const [stripe] = signingBy('stripe', 'shared-secret');
    const one = await by(first);
    expect([await by(stripe), await by(first, stripe)]).toEqual([one, one]);
  });

  it('does not depend on the order and the case of the names of headers', async () => {
    const by = (...headers: [string, string][]) =>
      identity({ settings: { ...webhooks, endpoints: [{ url: 'https://h/', headers }] } });
    const one = await by(['X-A', '1'], ['X-B', '2'], ['X-B', '3']);
    expect(await by(['x-b', '2'], ['x-a', '1'], ['X-B', '3'])).toBe(one);
    expect(await by(['x-b', '3'], ['x-a', '1'], ['X-B', '2'])).not.toBe(one);
  });

  it('tells apart what has the same check value', async () => {
    const urls = [147, 299].map((tenant) => `https://h/hook?tenant=${tenant}`);
    expect(queryCheck(urls[0]!)).toBe(queryCheck(urls[1]!));
    const [one, other] = await Promise.all(
      urls.map((url) => identity({ settings: { ...webhooks, endpoints: [{ url }] } })),
    );
    expect(one).not.toBe(other);
  });

  it.each<[string, Partial<PlanRequest>]>([
    ['the target', { settings: collector }],
    ['an older secret', { settings: { ...webhooks, signing: signingBy('stripe', 'a', 'b') } }],
    ['the secret', { settings: { ...webhooks, signing: signingBy('x-signature', 'other') } }],
    [
      'the query',
      { settings: { ...webhooks, endpoints: [{ ...endpoint, url: 'https://h/hook?x' }] } },
    ],
    [
      'a header',
      { settings: { ...webhooks, endpoints: [{ ...endpoint, headers: { 'X-Key': 'b' } }] } },
    ],
    ['no header', { settings: { ...webhooks, endpoints: [{ url: endpoint.url }] } }],
    ['the selection', { selection: { types: ['track'] } }],
    ['the conditions', { selection: { where: ['type=track'] } }],
    ['the ids', { ids: 'new' }],
    ['the order', { isOrdered: true }],
    ['the body', { settings: { ...webhooks, body: 'original' } }],
  ])('changes with %s', async (_what, more) => {
    expect(await identity(more)).not.toBe(await identity());
  });

  it('of a collector changes with the write key', async () => {
    const one = await identity({ settings: collector });
    const other: TargetSettings = { ...collector, writeKey: 'other' };
    expect(await identity({ settings: other })).not.toBe(one);
  });
});

/** As identities were made of one text; those of runs that wait on servers must stay valid. */
function identityOfOneText(known: unknown, values: readonly unknown[]): string {
  const cost = { N: 2 ** 14, r: 8, p: 1 };
  const hidden =
    values.length === 0
      ? null
      : scryptSync(JSON.stringify(values), JSON.stringify(known), 16, cost).toString('hex');
  return createHash('sha256')
    .update(JSON.stringify([known, hidden]))
    .digest('hex')
    .slice(0, 32);
}

describe('the identity of an import of many files', () => {
  const odd = ['/ä/größe.ndjson', '/"quoted"\\.ndjson', '/😀\ud800/\n\u2028.ndjson'];
  const plain: TargetSettings = { ...webhooks, endpoints: [{ url: 'https://h/' }], signing: [] };
  const secretValues = [
    '?token=query-secret',
    ['text shared-secret'],
    [[['x-key', 'header-secret']]],
  ];

  it.each([0, 1, 999, 1_000, 1_001, 2_500])('is that of one text: %s files', async (length) => {
    const paths = Array.from({ length }, (_, i) => odd[i] ?? `/data/${i}.ndjson`);
    const files = paths.map((path) => ({ path, size: 1, modifiedMs: 0, isWhole: false }));
    const rest = (url: string, isOrdered: boolean, since: string | null) => ({
      ...{ files: paths, target: ['webhooks', [url], 'webhook', false, false] },
      options: [undefined, undefined, ['u'], 0.1, 'keep', isOrdered],
      ...{ since, until: null },
    });
    const selection = { users: new Set(['u']), sample: 0.1 };
    const none = { since: undefined, until: undefined };
    const open = { ...(await plan({ settings: plain, selection })), files };
    expect(await identityOf(open, none, plain)).toBe(
      identityOfOneText(rest('https://h/', false, null), []),
    );
    const secret = { ...(await plan({ selection, isOrdered: true })), files };
    expect(await identityOf(secret, { ...none, since: '36h' }, webhooks)).toBe(
      identityOfOneText(rest('https://h/hook', true, '36h'), secretValues),
    );
  });

  it('is what it was in earlier versions', async () => {
    const files = odd.map((path) => ({ path, size: 1, modifiedMs: 0, isWhole: false }));
    const none = { since: undefined, until: undefined };
    const identities = await Promise.all([
      identityOf({ ...(await plan({ settings: plain })), files }, none, plain),
      identityOf({ ...(await plan()), files }, { since: '36h', until: '2026-01-01' }, webhooks),
      identityOf({ ...(await plan({ settings: collector })), files }, none, collector),
    ]);
    expect(identities).toEqual([
      'ec1670af4f9cf4706deec89ce6bf0155',
      '405c6cdfd5d5f38dd65547b84dae6139',
      'd52492b08fed6d4e669d634c4948b32a',
    ]);
  });
});

describe('two runs that differ in nothing but what no plan has', () => {
  it('send the same', async () => {
    const other: TargetSettings = {
      ...webhooks,
      endpoints: [{ url: 'https://h/hook?other', headers: { 'X-Key': 'other' } }],
      signing: signingBy('x-signature', 'other'),
    };
    const hash = publicHashOf(await plan());
    expect(publicHashOf(await plan({ settings: other, rate: 5 }))).toBe(hash);
    expect(publicHashOf(await plan({ ids: 'new' }))).not.toBe(hash);
    expect(publicHashOf(await plan({ settings: collector }))).not.toBe(hash);
  });
});

describe('the name of a run', () => {
  it.each([
    ['/x/History-2026.ndjson.gz', 'History-2026'],
    ['/x/größe:1.JSONL', 'größe:1'],
    ['/x/a.b', 'a.b'],
  ])('of %s is %s', async (path, name) => {
    const files = [{ path, size: 0, modifiedMs: 0, isWhole: false }];
    expect(runNameOf({ ...(await plan()), files })).toBe(name);
  });
});
