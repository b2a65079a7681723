import type { Clock } from '../../clock.js';
import { withoutQuery } from '../../http/url.js';
import type { Input } from '../input.js';
import type { AwsEnvironment } from './aws-profiles.js';
import type { Fetch } from './aws-endpoints.js';
import type { Headers, ProxyOf } from './http-client.js';
import type { HttpObject } from './remote-object.js';
import type { S3Object, S3Store } from './s3.js';

/** What it takes to read sources that are not on this machine. */
export interface RemoteOptions extends AwsEnvironment {
  /** For `https:` and `http:` sources; not for S3. */
  readonly headers: Headers;
  /** PEM text of certificates to trust beside those that Node trusts. */
  readonly ca: string | undefined;
  /** The HTTP proxy of a URL. */
  readonly proxyOf: ProxyOf | undefined;
  /** URL of a store that is compatible with S3; default: AWS's own. */
  readonly s3Endpoint: string | undefined;
  readonly s3Region: string | undefined;
  readonly clock: Clock;
  /** For the endpoints of AWS credentials. */
  readonly fetch: Fetch;
}

/** Opens sources behind `https:`, `http:` and `s3:` URLs; the client of either is loaded with the first. */
export class RemoteSources {
  readonly #options: RemoteOptions;
  #store: Promise<S3Store> | undefined;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /**
   * What a URL names: several for a prefix or a pattern of S3.
   *
   * @throws UsageError if the address or its authentication is wrong, or it names nothing
   * @throws SourceError if it cannot be reached for ten minutes
   */
  async find(url: string, signal?: AbortSignal): Promise<Input[]> {
    if (!isS3(url)) return [await this.#openHttp(url, signal)];
    const { parseS3Address } = await import('./s3-address.js');
    const store = await this.#s3();
    const inputs: Input[] = [];
    for (const object of await store.list(parseS3Address(url), signal)) {
      inputs.push(await this.#openS3(object, signal));
    }
    return inputs;
  }

  /**
   * Opens one object again: a URL with its query, or `s3://bucket/key`, whose key is taken literally.
   *
   * @throws as `find`
   */
  async open(address: string, signal?: AbortSignal): Promise<Input> {
    if (!isS3(address)) return this.#openHttp(address, signal);
    const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.*)$/su.exec(address) ?? [];
    return this.#openS3({ bucket, key }, signal);
  }

  async #openHttp(url: string, signal: AbortSignal | undefined): Promise<Input> {
    const { openHttp } = await import('./http.js');
    const object = await openHttp(url, { ...this.#options, signal });
    const whole = new URL(url);
    whole.hash = '';
    return inputOf(object, withoutQuery(whole), whole.href);
  }

  async #openS3(object: S3Object, signal: AbortSignal | undefined): Promise<Input> {
    const id = `s3://${object.bucket}/${object.key}`;
    return inputOf(await (await this.#s3()).open(object, signal), id, id);
  }

  #s3(): Promise<S3Store> {
    const { s3Endpoint: endpoint, s3Region: region, ...rest } = this.#options;
    const open = async (): Promise<S3Store> => {
      const { S3Store } = await import('./s3.js');
      return new S3Store({ ...rest, endpoint, region });
    };
    return (this.#store ??= open());
  }
}

function isS3(url: string): boolean {
  return /^s3:/i.test(url);
}

/**
 * What has no known size is read once, as a pipe is; what cannot be read by ranges, from its start each time.
 */
function inputOf(object: HttpObject, id: string, url: string): Input {
  const { name, version, size, hasRanges } = object;
  const read = (signal?: AbortSignal) => object.read(0, size ?? Infinity, signal);
  if (size === undefined) return { name, size, isFile: false, object: { id, url, version, read } };
  const access = hasRanges ? { access: object } : {};
  return { name, size, isFile: true, object: { id, url, version, read, ...access } };
}
