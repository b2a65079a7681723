import { UsageError } from '../../errors.js';
import type { Clock } from '../../clock.js';
import type { Credentials } from './aws-credentials.js';
import type { Fetch } from './aws-endpoints.js';
import { readProfile, type AwsEnvironment } from './aws-profiles.js';
import { HttpClient, type Headers, type HttpResponse, type ProxyOf } from './http-client.js';
import type { Retry } from './retries.js';
import { CredentialSource } from './s3-credentials.js';

export interface S3Options extends AwsEnvironment {
  /** URL of a store that is compatible with S3; default: AWS's own. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** PEM text of certificates to trust beside those that Node trusts. */
  readonly ca?: Buffer | string | undefined;
  /** As in `HttpClientOptions`. */
  readonly proxyOf?: ProxyOf | undefined;
  readonly clock: Clock;
  /** For the endpoints of credentials. */
  readonly fetch: Fetch;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** What is read: an object, or with an empty key the bucket. */
export interface S3Target {
  readonly bucket: string;
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
}

const defaultRegion = 'us-east-1';
const maxErrorBytes = 16 * 1024;

/** Sends signed GET requests, each to the region of its bucket. */
export class S3Client {
  readonly #options: S3Options;
  readonly #http: HttpClient;
  readonly #endpoint: URL | undefined;
  readonly #credentials: CredentialSource;
  /** The regions that S3 has named, by bucket. */
  readonly #regions = new Map<string, string>();
  #ownRegion: Promise<string> | undefined;
  /** Of aws4fetch: keys that it has derived. */
  readonly #derived = new Map<string, ArrayBuffer>();
  #isAnonymous = false;

  /** @throws UsageError if the endpoint is not a URL */
  constructor(options: S3Options) {
    this.#options = options;
    const { ca, proxyOf, clock } = options;
    this.#http = new HttpClient({ ca: ca?.toString(), proxyOf, clock });
    this.#endpoint = options.endpoint === undefined ? undefined : endpointUrl(options.endpoint);
    this.#credentials = new CredentialSource(options);
  }

  /** @throws UsageError, and what `HttpClient.get` throws */
  async get(target: S3Target, headers: Headers, signal?: AbortSignal): Promise<HttpResponse> {
    const region = await this.#regionOf(target.bucket);
    const response = await this.#getFrom(region, target, headers, signal);
    const named = await namedRegion(response);
    if (named.region === undefined || named.region === region) return named.response;
    this.#regions.set(target.bucket, named.region);
    const second = await namedRegion(await this.#getFrom(named.region, target, headers, signal));
    if (second.response.status !== 301 && second.region === undefined) return second.response;
    second.response.discard();
    throw new UsageError(
      `s3://${target.bucket} is in the region ${second.region ?? named.region}; pass --s3-region`,
      'unreadable_source',
    );
  }

  async #getFrom(
    region: string,
    target: S3Target,
    headers: Headers,
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const url = urlOf(target, region, this.#endpoint);
    const credentials = await this.#credentials.get();
    this.#isAnonymous = credentials === undefined;
    const signed = credentials ? await this.#signed(url, headers, region, credentials) : headers;
    return this.#http.get(url, signed, signal);
  }

  async #signed(
    url: URL,
    headers: Headers,
    region: string,
    { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  ): Promise<Headers> {
    const { AwsV4Signer } = await import('aws4fetch');
    const datetime = new Date(this.#options.clock.now()).toISOString();
    const { headers: signed } = await new AwsV4Signer({
      method: 'GET',
      url: url.href,
      headers: [...headers.map(([name, value]): [string, string] => [name, value]), emptyBody],
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      datetime: datetime.replace(/[:-]|\.\d{3}/g, ''),
      cache: this.#derived,
    }).sign();
    return [...signed.entries()];
  }

  async #regionOf(bucket: string): Promise<string> {
    return this.#regions.get(bucket) ?? (this.#ownRegion ??= this.#findRegion());
  }

  async #findRegion(): Promise<string> {
    const { region, env } = this.#options;
    const given = region ?? (env.AWS_REGION || env.AWS_DEFAULT_REGION);
    const found = given ?? (await readProfile(this.#options))?.get('region') ?? defaultRegion;
    if (isRegion(found)) return found;
    throw new UsageError('--s3-region: not a region; for example eu-central-1');
  }

  /** The next step after a status that is not retried. */
  adviceFor(status: number, code = ''): string {
    const advice = adviceByCode.get(code);
    if (advice !== undefined) return advice;
    if (status === 404) return 'check the name';
    if (status !== 401 && status !== 403) return 'check the address, and --s3-endpoint';
    return this.#isAnonymous
      ? 'no AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'
      : 'the credentials need s3:GetObject and s3:ListBucket';
  }
}

const adviceByCode = new Map([
  ['NoSuchBucket', 'check the name of the bucket, and --s3-endpoint'],
  ['ExpiredToken', 'renew the AWS credentials'],
  ['InvalidAccessKeyId', 'check AWS_ACCESS_KEY_ID, or the profile'],
  ['SignatureDoesNotMatch', 'check AWS_SECRET_ACCESS_KEY, or the profile'],
  ['RequestTimeTooSkewed', 'set the clock of this machine'],
  ['InvalidObjectState', 'the object is archived; restore it first'],
]);

/** SHA-256 of no bytes. */
const emptyBody: [string, string] = [
  'X-Amz-Content-Sha256',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
];

function endpointUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search;
  if (isPlain) return url;
  throw new UsageError('--s3-endpoint: not a valid http:// or https:// URL without a query');
}

function isRegion(text: string): boolean {
  return /^[a-z0-9-]{1,40}$/.test(text);
}

function urlOf({ bucket, key, query = {} }: S3Target, region: string, endpoint?: URL): URL {
  const path = encoded(key).replaceAll('%2F', '/');
  const search = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  const text = `${baseOf(bucket, region, endpoint)}/${path}${search.length ? `?${search.join('&')}` : ''}`;
  if (!/(?:^|\/)\.\.?(?:\/|$)/.test(key)) return new URL(text);
  throw new UsageError(
    `s3://${bucket}/${key}: a URL cannot have the names . and ..; copy the object to another key`,
    'unreadable_source',
  );
}

function baseOf(bucket: string, region: string, endpoint: URL | undefined): string {
  if (endpoint) return `${endpoint.origin}${endpoint.pathname.replace(/\/+$/, '')}/${bucket}`;
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  // The certificate of AWS is for one name before its own; and names with capitals or _ are no host names.
  return /^[a-z0-9-]+$/.test(bucket) ? `https://${bucket}.${host}` : `https://${host}/${bucket}`;
}

/** RFC 3986, as signatures need it. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The region that a response tells the bucket is in, if that is why the request was refused. */
async function namedRegion(
  response: HttpResponse,
): Promise<{ readonly region: string | undefined; readonly response: HttpResponse }> {
  if (![301, 307, 400].includes(response.status)) return { region: undefined, response };
  const text = await response.text(maxErrorBytes);
  const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1];
  const isAboutRegion = response.status !== 400 || code === 'AuthorizationHeaderMalformed';
  const named =
    response.header('x-amz-bucket-region') ?? /<Region>([^<]*)<\/Region>/.exec(text)?.[1];
  const region = isAboutRegion && named !== undefined && isRegion(named) ? named : undefined;
  // The body is read now, and may be asked for again.
  return { region, response: { ...response, text: () => Promise.resolve(text) } };
}
