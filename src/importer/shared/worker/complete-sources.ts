import { withoutQuery } from '../../../http/url.js';
import { printable } from '../../../output/printable.js';
import { RemoteSources, type RemoteOptions } from '../../../sources/remote/remote-sources.js';
import { headersCheck, urlCheck } from '../check-value.js';
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
  const urls = wholeUrls(files, own.urls);
  const remote = new RemoteSources({
    ...own,
    headers: headersFor(sources, own),
    ca: ownAuthorities(sources, own),
    s3Endpoint: own.s3Endpoint ?? sources.s3Endpoint ?? undefined,
    s3Region: own.s3Region ?? sources.s3Region ?? undefined,
  });
  return ({ path, urlCheck }, signal) =>
    remote.open(urlCheck === undefined ? path : urls.get(keyOf(path, urlCheck))!, signal);
}

/** Those that the plan has not the whole of. */
function wholeUrls(
  files: readonly PlannedFile[],
  own: readonly string[],
): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  for (const url of own) {
    const path = withoutQuery(url);
    urls.set(keyOf(path, urlCheck(url, path)), url);
  }
  for (const { path, urlCheck: check } of files) {
    if (check === undefined || urls.has(keyOf(path, check))) continue;
    throw new Refusal(
      own.some((url) => withoutQuery(url) === path)
        ? `the query of the source ${printable(path)} differs from this worker's; check --source-url`
        : `needs the whole URL of the source ${printable(path)}; use --source-url`,
    );
  }
  return urls;
}

function keyOf(path: string, check: string | null): string {
  return `${check ?? ''} ${path}`;
}

/** Those that the planner had, by name. */
function headersFor(
  { headerNames, headersCheck: check }: PlannedSources,
  { headers }: OwnSources,
): RemoteOptions['headers'] {
  const named = headers.filter(([name]) => headerNames.includes(name.toLowerCase()));
  for (const name of headerNames) {
    if (named.some(([one]) => one.toLowerCase() === name)) continue;
    throw new Refusal(`needs the header ${printable(name)} for its sources; use --source-header`);
  }
  if (headersCheck(named) === check) return named;
  throw new Refusal(
    `the values of the headers ${headerNames.map(printable).join(', ')} for its sources differ from this worker's; check --source-header`,
  );
}

function ownAuthorities({ usesCa }: PlannedSources, { ca }: OwnSources): string | undefined {
  if (!usesCa || ca !== undefined) return ca;
  throw new Refusal('needs additional CA certificates for its sources; use --source-ca');
}
