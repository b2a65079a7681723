import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { TargetSettings } from '../../../src/config/open-target.js';
import { identityOf, runNameOf } from '../../../src/importer/queue/identity.js';
import { makePlan, type PlanRequest } from '../../../src/importer/queue/make-plan.js';
import type { Plan } from '../../../src/importer/queue/plan.js';
import { signingBy } from '../../helpers/signing.js';
import { folderWith } from '../../helpers/folder.js';

const shared = { timeoutMs: 5_000, retryWindowMs: 1, allUrls: false, ignoreIntegrations: false };
const webhooks: TargetSettings = {
  ...{ kind: 'webhooks', where: '--url', ca: ['PEM-OF-CA'], ...shared },
  endpoints: [{ url: 'https://h/hook?token=query-secret', headers: [['X-Key', 'header-secret']] }],
  signing: signingBy('x-signature', 'shared-secret'),
  clientCertificate: { cert: 'CERT', key: 'PRIVATE' },
};
const collector: TargetSettings = {
  ...{ kind: 'collector', where: '--endpoint', ca: [], ...shared },
  ...{ endpoint: 'https://c/?q=query-secret', writeKey: 'write-key-secret' },
};

function plan(more: Partial<PlanRequest> = {}): Plan {
  return makePlan({
    ...{ inputs: [], settings: webhooks, selection: {}, ids: 'keep' },
    ...{ isOrdered: false, rate: null, stopAfter: null, ...more },
  });
}

const identity = (one: Plan, since?: string) => identityOf(one, { since, until: undefined });

describe('a plan', () => {
  it('has no secret: neither keys, nor header values, nor queries, nor certificates', () => {
    const text = JSON.stringify([plan(), plan({ settings: collector })]);
    for (const secret of ['secret', 'PEM-OF-CA', 'CERT', 'PRIVATE']) {
      expect(text.replaceAll(/secret(Check|Count)|"secret":/g, '')).not.toContain(secret);
    }
  });

  it('has check values of four hex digits, and the names of headers', () => {
    expect(plan().target).toMatchObject({
      signing: [{ secretCheck: expect.stringMatching(/^[\da-f]{4}$/), secretCount: 1 }],
      usesCa: true,
      usesClientCertificate: true,
      endpoints: [
        {
          url: 'https://h/hook',
          queryCheck: expect.stringMatching(/^[\da-f]{4}$/),
          headerNames: ['x-key'],
        },
      ],
    });
    expect(plan({ settings: collector }).target).toMatchObject({
      ...{ kind: 'collector', endpoint: 'https://c/' },
      ...{
        queryCheck: expect.stringMatching(/^[\da-f]{4}$/),
        writeKeyCheck: expect.stringMatching(/^[\da-f]{4}$/),
      },
    });
  });

  it('has the absolute path, the size, whole milliseconds and the kind of each file', () => {
    const folder = folderWith({ 'a.ndjson': '{}\n', 'b.gz': gzipSync('{}\n') });
    const path = join(folder, 'a.ndjson');
    utimesSync(path, 1.0009, 1.0009);
    const inputs = ['a.ndjson', 'b.gz'].map((name) => ({
      name: join(folder, name),
      size: 3,
      isFile: true,
    }));
    const [plain, zipped] = plan({ inputs }).files;
    expect(plain).toEqual({ path, size: 3, modifiedMs: 1_000, isGzip: false });
    expect(zipped).toMatchObject({ isGzip: true });
  });

  it('keeps a selection as plain data', () => {
    const { selection } = plan({ selection: { since: 5, users: new Set(['u']), sample: 0.1 } });
    expect(selection).toEqual({ since: 5, users: ['u'], sample: 0.1 });
  });
});

describe('the identity of an import', () => {
  it('is the same for the same call, whatever its speed and the state of its files', () => {
    const folder = folderWith({ 'a.ndjson': '1' });
    const inputs = [{ name: join(folder, 'a.ndjson'), size: 1, isFile: true }];
    const first = identity(plan({ inputs }));
    writeFileSync(join(folder, 'a.ndjson'), '22');
    expect(identity(plan({ inputs, rate: 5, stopAfter: { events: 1 } }))).toBe(first);
  });

  it('takes a relative time as it was typed', () => {
    const at = (since: number) => identity(plan({ selection: { since } }), '36h');
    expect(at(1)).toBe(at(2));
    expect(identity(plan({ selection: { since: 1 } }), '35h')).not.toBe(at(1));
  });

  it.each<[string, Partial<PlanRequest>]>([
    ['the target', { settings: collector }],
    ['the secret', { settings: { ...webhooks, signing: signingBy('x-signature', 'other') } }],
    ['the query', { settings: { ...webhooks, endpoints: [{ url: 'https://h/hook?x' }] } }],
    ['the selection', { selection: { types: ['track'] } }],
    ['the ids', { ids: 'new' }],
    ['the order', { isOrdered: true }],
    ['the body', { settings: { ...webhooks, body: 'original' } }],
  ])('changes with %s', (_what, more) => {
    expect(identity(plan(more))).not.toBe(identity(plan()));
  });
});

describe('the name of a run', () => {
  it.each([
    ['/x/History-2026.ndjson.gz', 'History-2026'],
    ['/x/größe:1.JSONL', 'größe:1'],
    ['/x/a.b', 'a.b'],
  ])('of %s is %s', (path, name) => {
    const files = [{ path, size: 0, modifiedMs: 0, isGzip: false }];
    expect(runNameOf({ ...plan(), files })).toBe(name);
  });
});
