import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEachTest } from './after-each.js';

export interface S3ServerOptions {
  readonly objects?: Readonly<Record<string, Buffer | string>>;
  /** Undefined accepts requests without a signature. */
  readonly secret?: string | undefined;
  readonly region?: string;
  readonly pageSize?: number;
  /** Instead of the usual response, for some requests. */
  readonly answer?: (url: URL, index: number) => ((response: ServerResponse) => void) | undefined;
}

export interface S3Server {
  readonly url: string;
  readonly requests: readonly { readonly url: URL; readonly authorization: string | undefined }[];
}

const bucket = 'logs';
const started: (() => Promise<void>)[] = [];

/** A store of one bucket, `logs`, which checks each signature by the specification, and lists in pages. */
export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const { objects = {}, secret, region = 'us-east-1', pageSize = 1_000, answer } = options;
  const requests: { url: URL; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const url = new URL(`http://${request.headers.host}${request.url}`);
    const { authorization } = request.headers;
    requests.push({ url, authorization });
    const special = answer?.(url, requests.length - 1);
    if (special) {
      special(response);
      return;
    }
    const wrong = secret === undefined ? undefined : problemOf(request, url, secret, region);
    if (wrong) {
      error(response, ...wrong);
      return;
    }
    const key = decodeURIComponent(url.pathname.slice(bucket.length + 2));
    if (!url.pathname.startsWith(`/${bucket}/`)) {
      error(response, 404, 'NoSuchBucket');
      return;
    }
    if (key === '') {
      list(response, url, objects, pageSize);
      return;
    }
    const found = objects[key];
    if (found === undefined) {
      error(response, 404, 'NoSuchKey');
      return;
    }
    send(request, response, Buffer.from(found));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  started.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

afterEachTest(async () => {
  await Promise.all(started.splice(0).map((close) => close()));
});

export function error(
  response: ServerResponse,
  status: number,
  code: string,
  more = '',
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, headers);
  response.end(`<?xml version="1.0"?>\n<Error><Code>${code}</Code>${more}</Error>`);
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function send(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
  const etag = etagOf(bytes);
  if ((request.headers['if-match'] ?? etag) !== etag) {
    error(response, 412, 'PreconditionFailed');
    return;
  }
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (Number(first) >= bytes.length) {
    error(response, 416, 'InvalidRange');
    return;
  }
  const part = bytes.subarray(Number(first), Number(last) + 1);
  const range = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
  response.writeHead(206, { etag, 'content-range': range }).end(part);
}

function list(
  response: ServerResponse,
  { searchParams }: URL,
  objects: Readonly<Record<string, Buffer | string>>,
  pageSize: number,
): void {
  const prefix = searchParams.get('prefix') ?? '';
  const start = Number(searchParams.get('continuation-token') ?? 0);
  const keys = Object.keys(objects)
    .filter((key) => key.startsWith(prefix))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const page = keys.slice(start, start + pageSize);
  const isTruncated = start + pageSize < keys.length;
  const contents = page.map((key) => {
    const bytes = Buffer.from(objects[key]!);
    const name = encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/');
    const etag = etagOf(bytes).replaceAll('"', '&quot;');
    return `<Contents><Key>${name}</Key><ETag>${etag}</ETag><Size>${bytes.length}</Size></Contents>`;
  });
  const token = isTruncated
    ? `<NextContinuationToken>${start + pageSize}</NextContinuationToken>`
    : '';
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
      `<Name>${bucket}</Name><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>` +
      `${contents.join('')}${token}</ListBucketResult>`,
  );
}

type Problem = readonly [status: number, code: string, more?: string];

/** Signature version 4, from the bytes of the request. */
function problemOf(
  { headers, url: target = '', method = '' }: IncomingMessage,
  { searchParams }: URL,
  secret: string,
  region: string,
): Problem | undefined {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/([^/]+)\/s3\/aws4_request), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (!match) return [403, 'AccessDenied'];
  const [, , scope = '', signedRegion, names = '', signature] = match;
  if (signedRegion !== region)
    return [400, 'AuthorizationHeaderMalformed', `<Region>${region}</Region>`];
  const strictly = (text: string): string =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const query = [...searchParams]
    .map(([name, value]) => `${strictly(name)}=${strictly(value)}`)
    .sort();
  const date = String(headers['x-amz-date']);
  const canonical = [
    method,
    target.split('?')[0],
    query.join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name])}`),
    '',
    names,
    String(headers['x-amz-content-sha256']),
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', date, scope, digest].join('\n');
  const key = scope
    .split('/')
    .reduce<Buffer | string>(
      (by, part) => createHmac('sha256', by).update(part).digest(),
      `AWS4${secret}`,
    );
  const expected = createHmac('sha256', key).update(text).digest('hex');
  return signature === expected ? undefined : [403, 'SignatureDoesNotMatch'];
}
