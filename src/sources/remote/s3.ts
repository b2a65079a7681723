import { text as textOfStream } from 'node:stream/consumers';
import { UsageError } from '../../errors.js';
import { compareBytes } from '../compare-bytes.js';
import { SourceError } from '../source-error.js';
import type { HttpResponse } from './http-client.js';
import { knownObject, openObject, type HttpObject, type KnownObject } from './remote-object.js';
import { Requester, type Transport } from './requester.js';
import { Retries } from './retries.js';
import { matcherOf, type S3Address } from './s3-address.js';
import { S3Client, type S3Options, type S3Target } from './s3-client.js';
import { parseXml, textOf, type XmlElement } from './xml.js';

/** An object that is listed, or named. */
export interface S3Object {
  readonly bucket: string;
  readonly key: string;
  /** From the list; without it, opening it is a request more. */
  readonly known?: KnownObject;
}

/** Lists and opens objects of S3 and of compatible stores, with one set of credentials. */
export class S3Store {
  readonly #client: S3Client;
  readonly #options: S3Options;

  /** @throws UsageError if the endpoint is not a URL */
  constructor(options: S3Options) {
    this.#client = new S3Client(options);
    this.#options = options;
  }

  /**
   * The objects that an address names, in bytewise order of their keys.
   *
   * @throws UsageError if there are none, or they cannot be listed
   */
  async list(address: S3Address, signal?: AbortSignal): Promise<S3Object[]> {
    const { bucket } = address;
    if (address.kind === 'key') return [{ bucket, key: address.key }];
    const isMeant = await matcherOf(address);
    const found: Required<S3Object>[] = [];
    for await (const { key, size, etag } of this.#all(bucket, address.prefix, signal)) {
      if (isMeant(key, size)) found.push({ bucket, key, known: { size, etag } });
    }
    if (found.length > 0) return found.sort((a, b) => compareBytes(a.key, b.key));
    const shown = address.kind === 'pattern' ? address.pattern : address.prefix;
    throw new UsageError(
      `s3://${bucket}/${shown}: no objects found; check the address`,
      'no_input',
    );
  }

  /**
   * @throws UsageError if it cannot be had
   * @throws SourceError if it cannot be reached for ten minutes
   */
  async open({ bucket, key, known }: S3Object, signal?: AbortSignal): Promise<HttpObject> {
    const transport = this.#transport({ bucket, key });
    if (known) return knownObject(transport, known, this.#options);
    return openObject(transport, this.#options, signal);
  }

  async *#all(
    bucket: string,
    prefix: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Listed> {
    let emptyPages = 0;
    for (let token: string | undefined, isLast = false; !isLast;) {
      const page = await this.#page(bucket, prefix, token, signal);
      yield* page.objects;
      emptyPages = page.objects.length === 0 ? emptyPages + 1 : 0;
      isLast = page.next === undefined;
      if (!isLast && (page.next === token || emptyPages > maxEmptyPages)) throw unreadableList();
      token = page.next;
    }
  }

  async #page(
    bucket: string,
    prefix: string,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Page> {
    const query = {
      ...(token !== undefined && { 'continuation-token': token }),
      // Keys may have characters that XML has not.
      'encoding-type': 'url',
      'list-type': '2',
      prefix,
    };
    const transport = this.#transport({ bucket, key: '', query });
    const requester = new Requester(transport, this.#options.clock);
    const retries = new Retries(transport.name, this.#options);
    for (;;) {
      try {
        return pageOf(await bodyOf(await requester.get([], signal, [200])));
      } catch (error) {
        await retries.wait(error, signal);
      }
    }
  }

  #transport(target: S3Target): Transport {
    const client = this.#client;
    const { bucket, key, query } = target;
    return {
      name: `s3://${bucket}/${query?.prefix ?? key}`,
      get: (headers, signal) => client.get(target, headers, signal),
      adviceFor: (status, code) => client.adviceFor(status, code),
    };
  }
}

interface Listed {
  readonly key: string;
  readonly size: number;
  readonly etag: string | undefined;
}

interface Page {
  readonly objects: readonly Listed[];
  readonly next: string | undefined;
}

/** A page without objects is allowed; a list of nothing else would never end. */
const maxEmptyPages = 100;
/** A thousand keys of a thousand bytes, each byte as `%xx`, with their other elements. */
const maxPageBytes = 8 * 1024 * 1024;

async function bodyOf(response: HttpResponse): Promise<string> {
  let length = 0;
  const limited = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of response.body) {
      if ((length += chunk.length) > maxPageBytes) throw unreadableList();
      yield chunk;
    }
  };
  return textOfStream(limited());
}

function pageOf(xml: string): Page {
  const list = parsed(xml);
  const isEncoded = textOf(list, 'EncodingType') === 'url';
  const objects = list.children
    .filter(({ name }) => name === 'Contents')
    .map((element) => listedOf(element, isEncoded));
  if (textOf(list, 'IsTruncated') !== 'true') return { objects, next: undefined };
  const next = textOf(list, 'NextContinuationToken');
  if (!next) throw unreadableList();
  return { objects, next };
}

function parsed(xml: string): XmlElement {
  try {
    const list = parseXml(xml);
    if (list.name === 'ListBucketResult') return list;
  } catch (cause) {
    throw unreadableList(cause);
  }
  throw unreadableList();
}

function listedOf(element: XmlElement, isEncoded: boolean): Listed {
  const key = textOf(element, 'Key');
  const size = textOf(element, 'Size') ?? '';
  if (!key || !/^\d{1,15}$/.test(size)) throw unreadableList();
  return {
    key: isEncoded ? decoded(key) : key,
    size: Number(size),
    etag: textOf(element, 'ETag'),
  };
}

/** As in a form: a space may be `+`. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch (cause) {
    throw unreadableList(cause);
  }
}

function unreadableList(cause?: unknown): SourceError {
  return new SourceError('the list of objects cannot be read', {
    advice: 'check --s3-endpoint',
    cause,
  });
}
