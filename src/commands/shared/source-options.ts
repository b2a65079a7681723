import { homedir } from 'node:os';
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../clock.js';
import { parseHeaders } from '../../config/target.js';
import { withoutQuery } from '../../http/url.js';
import type { GivenFormat } from '../../sources/formats/decode.js';
import type { Input } from '../../sources/input.js';
import type { OpenUrl } from '../../sources/find-inputs.js';
import type { HttpObject } from '../../sources/remote/remote-object.js';
import type { S3Store } from '../../sources/remote/s3.js';
import { readAuthorities } from './certificate-files.js';
import type { Io } from './command.js';
import type { SourceFlags } from './source-flags.js';

/** What flags say of the format of all inputs; undefined where their bytes say it. */
export function givenFormat({ format, vendorFiles }: SourceFlags): GivenFormat | undefined {
  if (format === undefined && !vendorFiles) return undefined;
  return { ...vendorFiles, ...(format !== undefined && { format }) };
}

/** Opens the URLs among the sources; what they need is loaded with the first. */
export function urlOpener(flags: SourceFlags, io: Io): OpenUrl {
  let store: Promise<S3Store> | undefined;
  return async (url) => {
    if (/^s3:/i.test(url)) return s3Inputs(await (store ??= openStore(flags, io)), url);
    const { openHttp } = await import('../../sources/remote/http.js');
    const headers = parseHeaders(flags.sourceHeader ?? [], '--source-header');
    const options = { headers, ca: await authoritiesOf(flags), clock: systemClock };
    return [inputOf(await openHttp(url, options), withoutQuery(url))];
  };
}

function authoritiesOf({ sourceCa }: SourceFlags): Promise<string | undefined> {
  return sourceCa === undefined
    ? Promise.resolve(undefined)
    : readAuthorities(sourceCa, '--source-ca');
}

async function openStore(flags: SourceFlags, io: Io): Promise<S3Store> {
  const { S3Store } = await import('../../sources/remote/s3.js');
  return new S3Store({
    endpoint: flags.s3Endpoint,
    region: flags.s3Region,
    ca: await authoritiesOf(flags),
    env: io.env,
    home: homedir(),
    readFile: (path) => readFile(path, 'utf8'),
    fetch: globalThis.fetch,
    clock: systemClock,
  });
}

async function s3Inputs(store: S3Store, url: string): Promise<Input[]> {
  const { parseS3Address } = await import('../../sources/remote/s3-address.js');
  const inputs: Input[] = [];
  for (const object of await store.list(parseS3Address(url))) {
    inputs.push(inputOf(await store.open(object), `s3://${object.bucket}/${object.key}`));
  }
  return inputs;
}

/**
 * What has no known size is read once, as a pipe is; what cannot be read by ranges, from its start each time.
 */
function inputOf(object: HttpObject, id: string): Input {
  const { name, version, size, hasRanges } = object;
  const read = (signal?: AbortSignal) => object.read(0, size ?? Infinity, signal);
  if (size === undefined) return { name, size, isFile: false, object: { id, version, read } };
  const access = hasRanges ? { access: object } : {};
  return { name, size, isFile: true, object: { id, version, read, ...access } };
}
