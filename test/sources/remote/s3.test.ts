import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
// @ts-expect-error -- it has no types
import S3rver from 's3rver';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../../src/errors.js';
import { parseS3Address } from '../../../src/sources/remote/s3-address.js';
import type { S3Options } from '../../../src/sources/remote/s3-client.js';
import { S3Store } from '../../../src/sources/remote/s3.js';
import { SourceError } from '../../../src/sources/source-error.js';
import { folderWith } from '../../helpers/folder.js';
import { error as s3Error, startS3Server, type S3ServerOptions } from '../../helpers/s3-server.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

const odd = [
  'a b+c.ndjson',
  "it's (1)!*~.gz",
  'ä/ö €.json',
  '%41%2F.json',
  'x//y',
  'a&b=c?d#e',
  '\u{1F600}',
  '\uE000',
];
const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

describe('a store', () => {
  it('is listed and read with signatures, whatever characters keys have', async () => {
    const objects = Object.fromEntries(odd.map((key) => [key, `of ${key}`]));
    const { store } = await stored({ objects, pageSize: 3, secret: 'S3RVER' });
    const listed = await store.list(parseS3Address('s3://logs'));
    const inOrder = odd.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(listed.map(({ key }) => key)).toEqual(inOrder);
    for (const found of listed) {
      expect(await textOf(store, found)).toBe(`of ${found.key}`);
      expect(await textOf(store, { bucket: 'logs', key: found.key })).toBe(`of ${found.key}`);
    }
  });

  it('is listed in pages, from the text before the first wildcard', async () => {
    const objects = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`d/${i}.gz`, '']));
    const { server, store } = await stored({
      objects: { ...objects, 'd/x.csv': '', 'e/1.gz': '' },
      pageSize: 10,
    });
    expect(await store.list(parseS3Address('s3://logs/d/*.gz'))).toHaveLength(25);
    expect(
      server.requests.map(({ url }) => [
        url.searchParams.get('prefix'),
        url.searchParams.get('continuation-token'),
      ]),
    ).toEqual([
      ['d/', null],
      ['d/', '10'],
      ['d/', '20'],
    ]);
  });

  it('tells size and ETag of what is listed, which is read without another request', async () => {
    const { server, store } = await stored({ objects: { a: 'bytes', empty: '' } });
    const [a, empty] = await store.list(parseS3Address('s3://logs/'));
    const object = await store.open(a!);
    expect(object).toMatchObject({
      name: 's3://logs/a',
      size: 5,
      version: '"4b3a6218bb3e3a7303e8a171a60fcf92"',
    });
    expect(server.requests).toHaveLength(1);
    expect(await textOf(store, a!)).toBe('bytes');
    expect(await textOf(store, empty!)).toBe('');
    expect(server.requests).toHaveLength(2);
  });

  it('whose object has changed since it was listed, says so', async () => {
    const objects: Record<string, string> = { a: 'bytes' };
    const { store } = await stored({ objects });
    const [a] = await store.list(parseS3Address('s3://logs/'));
    objects.a = 'other';
    const error = await failure(textOf(store, a!));
    expect(error).toBeInstanceOf(SourceError);
    expect((error as Error).message).toBe('has changed while it was read');
  });

  it('that throttles is asked again later', async () => {
    const reasons: string[] = [];
    const { clock, store } = await stored(
      {
        objects: { a: 'bytes' },
        answer: (_url, index) =>
          index % 2 === 0 ? (response) => s3Error(response, 503, 'SlowDown') : undefined,
      },
      { onRetry: ({ name, reason }) => reasons.push(`${name}: ${reason}`) },
    );
    const read = async () => textOf(store, (await store.list(parseS3Address('s3://logs/')))[0]!);
    expect(await clock.runUntil(read())).toBe('bytes');
    expect(reasons).toEqual([
      's3://logs/: HTTP 503 Service Unavailable (SlowDown)',
      's3://logs/a: HTTP 503 Service Unavailable (SlowDown)',
    ]);
  });

  it('is asked again, once, with the region that it names', async () => {
    const { server, store } = await stored({
      objects: { a: 'bytes' },
      secret: 'S3RVER',
      region: 'eu-west-3',
    });
    const [a] = await store.list(parseS3Address('s3://logs/'));
    expect(await textOf(store, a!)).toBe('bytes');
    expect(server.requests.map(({ authorization }) => authorization!.split('/')[2])).toEqual([
      'us-east-1',
      'eu-west-3',
      'eu-west-3',
    ]);
  });

  it('that names a region again and again is an error with that region', async () => {
    const { server, store } = await stored({
      answer: () => (response) =>
        s3Error(response, 301, 'PermanentRedirect', '', { 'x-amz-bucket-region': 'eu-north-1' }),
    });
    await expect(store.list(parseS3Address('s3://logs/'))).rejects.toThrow(
      's3://logs is in the region eu-north-1; pass --s3-region',
    );
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, Partial<S3ServerOptions>, Record<string, string>, string, string]>([
    [
      'without credentials',
      { secret: 'x' },
      {},
      's3://logs/a',
      's3://logs/a: HTTP 403 Forbidden (AccessDenied); no AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    ],
    [
      'with a wrong secret',
      { secret: 'x' },
      keys,
      's3://logs/a',
      's3://logs/a: HTTP 403 Forbidden (SignatureDoesNotMatch); check AWS_SECRET_ACCESS_KEY, or the profile',
    ],
    [
      'without the bucket',
      {},
      {},
      's3://other/p/',
      's3://other/p/: HTTP 404 Not Found (NoSuchBucket); check the name of the bucket, and --s3-endpoint',
    ],
    [
      'without the key',
      {},
      {},
      's3://logs/b',
      's3://logs/b: HTTP 404 Not Found (NoSuchKey); check the name',
    ],
    [
      'without anything below a prefix',
      {},
      {},
      's3://logs/none/',
      's3://logs/none/: no objects found; check the address',
    ],
    [
      'without anything that matches',
      {},
      {},
      's3://logs/*.gz',
      's3://logs/*.gz: no objects found; check the address',
    ],
    [
      'with a key that no URL can have',
      {},
      {},
      's3://logs/a/../b',
      's3://logs/a/../b: a URL cannot have the names . and ..; copy the object to another key',
    ],
  ])('%s is an error of the command', async (_name, options, env, address, message) => {
    const { store } = await stored(
      { objects: { a: '1' }, ...options },
      { env: { AWS_EC2_METADATA_DISABLED: 'true', ...env } },
    );
    const parsed = parseS3Address(address);
    const error = await failure(store.list(parsed).then((found) => store.open(found[0]!)));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(message);
  });

  it.each([
    ['no XML', '{"a":1}'],
    ['another document', '<Other/>'],
    [
      'keys without a size',
      '<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>',
    ],
    [
      'no token for the next page',
      '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
    ],
    [
      'the same page again',
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>',
    ],
    [
      'a wrong encoding',
      '<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%</Key><Size>1</Size></Contents></ListBucketResult>',
    ],
    ['a page that is too large', ' '.repeat(9_000_000)],
  ])('whose list has %s is not read', async (_name, body) => {
    const { store } = await stored({ answer: () => (response) => void response.end(body) });
    await expect(store.list(parseS3Address('s3://logs/'))).rejects.toThrow(
      'the list of objects cannot be read',
    );
  });

  it('whose list has only empty pages is given up', async () => {
    const page = (index: number) =>
      `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${index}</NextContinuationToken></ListBucketResult>`;
    const { store } = await stored({
      answer: (_url, index) => (response) => void response.end(page(index)),
    });
    await expect(store.list(parseS3Address('s3://logs/'))).rejects.toThrow(
      'the list of objects cannot be read',
    );
  });

  it.each(['x', 'ftp://a', 'http://user:pass@a', 'http://a?secret'])(
    'has no endpoint %s',
    (endpoint) => {
      expect(() => new S3Store(optionsFor({ endpoint }))).toThrow(
        '--s3-endpoint: not a valid http:// or https:// URL without a query',
      );
    },
  );
});

it('s3rver reads the signatures, lists and serves ranges', async () => {
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folderWith(),
    configureBuckets: [{ name: 'logs', configs: [] }],
  });
  await server.configureBuckets();
  const listening = await listen(server);
  onTestFinished(() => void listening.close());
  const names = ['d/a b+c.ndjson', 'd/e (1).gz', 'd/.hidden', 'other'];
  for (const name of names)
    await server.store.putObject({
      bucket: 'logs',
      key: name,
      metadata: {},
      content: Readable.from([Buffer.from(`of ${name}`)]),
    });
  const endpoint = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const store = new S3Store(optionsFor({ endpoint, env: keys }));
  const found = await store.list(parseS3Address('s3://logs/d/'));
  expect(found.map(({ key }) => key)).toEqual(['d/a b+c.ndjson', 'd/e (1).gz']);
  for (const object of found) expect(await textOf(store, object)).toBe(`of ${object.key}`);
  // It reads these signatures, but verifies none: the server above does.
  const unknown = new S3Store(optionsFor({ endpoint, env: { ...keys, AWS_ACCESS_KEY_ID: 'x' } }));
  await expect(unknown.list(parseS3Address('s3://logs/d/'))).rejects.toThrow('InvalidAccessKeyId');
});

async function listen(server: { callback(): () => void }): Promise<Server> {
  const { createServer } = await import('node:http');
  const listening = createServer(server.callback()).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return listening;
}

function optionsFor(rest: Partial<S3Options> = {}): S3Options {
  return {
    env: { AWS_EC2_METADATA_DISABLED: 'true' },
    home: '/nowhere',
    readFile: () => Promise.reject(Object.assign(new Error('missing'), { code: 'ENOENT' })),
    fetch: () => Promise.reject(new Error('no network')),
    clock: new VirtualClock(Date.now()),
    ...rest,
  };
}

async function stored(options: S3ServerOptions, rest: Partial<S3Options> = {}) {
  const server = await startS3Server(options);
  const clock = new VirtualClock(Date.now());
  const env = options.secret === undefined ? {} : { env: keys };
  const store = new S3Store(optionsFor({ endpoint: server.url, clock, ...env, ...rest }));
  return { server, clock, store };
}

async function textOf(store: S3Store, object: Parameters<S3Store['open']>[0]): Promise<string> {
  const opened = await store.open(object);
  const chunks: Buffer[] = [];
  for await (const chunk of opened.read(0, opened.size ?? Infinity)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
