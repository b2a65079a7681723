import { withoutQuery } from '../../../http/url.js';
import { printable } from '../../../output/printable.js';
import { RemoteSources, type RemoteOptions } from '../../../sources/remote/remote-sources.js';
import type { Plan, PlannedFile, PlannedSources } from '../plan.js';
import type { FilesHere } from './planned-file.js';
import { Refusal } from './refusal.js';

/** What a worker has for sources behind URLs. */
export interface OwnSources extends RemoteOptions {
  /** URLs of sources with their queries. */
  readonly urls: readonly string[];
}

/**
 * Opens what is behind the URLs of a plan with the worker's own headers, queries and credentials.
 *
 * @throws Refusal that names what is missing, and where it goes
 */
export function completeSources(
  { files, sources }: Pick<Plan, 'files' | 'sources'>,
  own: OwnSources,
): FilesHere['openRemote'] {
  if (!sources) return () => Promise.reject(new Error('the plan has no URLs'));
  const urls = new Map(own.urls.map((url) => [withoutQuery(url), url]));
  checkUrls(files, urls);
  const remote = new RemoteSources({
    ...own,
    headers: headersFor(sources, own),
    ca: ownAuthorities(sources, own),
    s3Endpoint: own.s3Endpoint ?? sources.s3Endpoint ?? undefined,
    s3Region: own.s3Region ?? sources.s3Region ?? undefined,
  });
  return ({ path, isPartialUrl }, signal) =>
    remote.open(isPartialUrl ? urls.get(path)! : path, signal);
}

function checkUrls(files: readonly PlannedFile[], urls: ReadonlyMap<string, string>): void {
  for (const { path, isPartialUrl } of files) {
    if (!isPartialUrl || urls.has(path)) continue;
    throw new Refusal(`needs the whole URL of the source ${printable(path)}; use --source-url`);
  }
}

/** Those that the planner had, by name. */
function headersFor(
  { headerNames }: PlannedSources,
  { headers }: OwnSources,
): RemoteOptions['headers'] {
  const named = headers.filter(([name]) => headerNames.includes(name.toLowerCase()));
  for (const name of headerNames) {
    if (named.some(([one]) => one.toLowerCase() === name)) continue;
    throw new Refusal(`needs the header ${printable(name)} for its sources; use --source-header`);
  }
  return named;
}

function ownAuthorities({ usesCa }: PlannedSources, { ca }: OwnSources): string | undefined {
  if (!usesCa || ca !== undefined) return ca;
  throw new Refusal('needs additional CA certificates for its sources; use --source-ca');
}
