import { homedir } from 'node:os';
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../clock.js';
import { readAuthorities } from '../../config/certificate-files.js';
import { parseHeaders } from '../../config/target.js';
import type { GivenFormat } from '../../sources/formats/decode.js';
import type { OpenUrl } from '../../sources/find-inputs.js';
import { RemoteSources, type RemoteOptions } from '../../sources/remote/remote-sources.js';
import type { ProxyOf } from '../../sources/remote/http-client.js';
import type { Io } from './command.js';
import type { SourceFlags } from './source-flags.js';

/** What flags say of the format of all inputs; undefined where their bytes say it. */
export function givenFormat({ format, vendorFiles }: SourceFlags): GivenFormat | undefined {
  if (format === undefined && !vendorFiles) return undefined;
  return { ...vendorFiles, ...(format !== undefined && { format }) };
}

/** Opens the URLs among the sources; what they need is loaded with the first. */
export function urlOpener(flags: SourceFlags, io: Io): OpenUrl {
  let sources: Promise<RemoteSources> | undefined;
  const open = async (): Promise<RemoteSources> =>
    new RemoteSources(await remoteOptions(flags, io));
  return async (url) => (await (sources ??= open())).find(url);
}

/**
 * What flags and environment say of sources that are not on this machine.
 * @throws UsageError when a header or the file of `--source-ca` cannot be used
 */
export async function remoteOptions(
  {
    sourceHeader = [],
    sourceCa,
    s3Endpoint,
    s3Region,
    proxy,
  }: Pick<SourceFlags, 'sourceHeader' | 'sourceCa' | 's3Endpoint' | 's3Region' | 'proxy'>,
  { env }: Pick<Io, 'env'>,
): Promise<RemoteOptions> {
  return {
    headers: parseHeaders(sourceHeader, '--source-header'),
    ca: sourceCa === undefined ? undefined : await readAuthorities(sourceCa, '--source-ca'),
    proxyOf: await proxiesOf(proxy, env),
    ...{ s3Endpoint, s3Region, env },
    home: homedir(),
    readFile: (path) => readFile(path, 'utf8'),
    fetch: globalThis.fetch,
    clock: systemClock,
  };
}

async function proxiesOf(proxy: string | undefined, env: Io['env']): Promise<ProxyOf | undefined> {
  if (proxy === undefined) return undefined;
  const { proxyOf } = await import('../../config/proxy.js');
  return (url) => proxyOf(url, proxy, env);
}
