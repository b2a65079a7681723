import { randomUUID } from 'node:crypto';
import { statSync, type Stats } from 'node:fs';
import type { TargetSettings } from '../../config/open-target.js';
import type { Selection } from '../../events/select.js';
import { withoutQuery } from '../../http/url.js';
import { splitEntry } from '../../sources/entry-name.js';
import { absolutePath, accessOf, isPlain, type Input } from '../../sources/input.js';
import type { RemoteOptions } from '../../sources/remote/remote-sources.js';
import type { RecordChanges } from '../../steps/changes.js';
import type { SigningSettings } from '../../sign/request-signer.js';
import { version } from '../../version.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import { ownSettings } from '../../webhook/endpoint-settings.js';
import { headerPairs } from '../../webhook/settings.js';
import { checkValue, headersCheck, queryCheck, secretsCheck } from './check-value.js';
import {
  planFormat,
  type Plan,
  type PlannedChanges,
  type PlannedEndpoint,
  type PlannedFile,
  type PlannedSelection,
  type PlannedSigning,
  type PlannedSources,
  type PlannedTarget,
} from './plan.js';

/** What a run is planned from; the rest is as in `Plan`. */
export interface PlanRequest extends Pick<
  Plan,
  'ids' | 'isOrdered' | 'rate' | 'stopAfter' | 'deadLettersChanged'
> {
  /** Of known size: files, whose names are relative to the working directory, and what is behind URLs. */
  readonly inputs: readonly Input[];
  /** How those behind URLs were opened. */
  readonly remote: RemoteOptions;
  /** Checked: its URLs are valid. */
  readonly settings: TargetSettings;
  readonly selection: Selection;
  readonly changes: RecordChanges | undefined;
}

/** Makes a new plan. Of the files, only sizes, times, versions and the row groups of Parquet are read. */
export async function makePlan(request: PlanRequest): Promise<Plan> {
  const { inputs, settings, selection, changes, ids, isOrdered, rate, stopAfter } = request;
  const files: PlannedFile[] = [];
  for (const input of inputs) {
    const file = plannedFile(input);
    files.push(input.layout === 'rows' && !isOrdered ? await withRowGroups(file, input) : file);
  }
  const isRemote = files.some((file) => file.version !== undefined);
  return {
    format: planFormat,
    program: version,
    files,
    sources: isRemote ? plannedSources(request.remote) : null,
    target: plannedTarget(settings),
    selection: plannedSelection(selection),
    changes: changes ? plannedChanges(changes) : null,
    deadLettersChanged: request.deadLettersChanged,
    ids,
    seed: randomUUID(),
    isOrdered,
    rate,
    stopAfter,
  };
}

/** The time of the last change in whole milliseconds: machines that share a file may know fewer digits. */
export function modifiedMsOf({ mtimeMs }: Pick<Stats, 'mtimeMs'>): number {
  return Math.floor(mtimeMs);
}

function plannedFile(input: Input): PlannedFile {
  const { layout, given, object } = input;
  const { path, size, modifiedMs, ...remote } = stateOf(object?.archive ?? input);
  const { entry } = object ? splitEntry(input.name) : {};
  // One literal: of 100,000 files, objects that grow would take 10 MB more.
  const file = { path, size, modifiedMs, isWhole: !isPlain(input) };
  const isSimple = !object && !given && (!layout || layout === 'plain');
  if (isSimple) return file;
  return {
    ...file,
    ...remote,
    ...(layout && layout !== 'plain' && { layout }),
    ...(given && { given }),
    ...(entry !== undefined && object?.archive && { entry }),
  };
}

/** What is compared before a part is read. */
function stateOf({
  name,
  size,
  object,
}: Input): Pick<PlannedFile, 'path' | 'size' | 'modifiedMs' | 'version' | 'isPartialUrl'> {
  if (!object) {
    const found = statSync(name);
    return { path: absolutePath(name), size: found.size, modifiedMs: modifiedMsOf(found) };
  }
  const { id, version: etag, url } = object;
  return {
    ...{ path: id, size: size ?? 0, modifiedMs: 0, version: etag },
    ...(url !== id && { isPartialUrl: true as const }),
  };
}

/** Damage is told by the worker that reads it, as one part. */
async function withRowGroups(file: PlannedFile, input: Input): Promise<PlannedFile> {
  const access = accessOf(input);
  if (!access) return file;
  const { rowGroupsOf } = await import('../../sources/formats/parquet.js');
  const rowGroups = await rowGroupsOf(await access()).catch(() => undefined);
  return rowGroups ? { ...file, isWhole: false, rowGroups } : file;
}

function plannedSources({ headers, ca, s3Endpoint, s3Region }: RemoteOptions): PlannedSources {
  return {
    headerNames: headers.map(([name]) => name.toLowerCase()),
    usesCa: ca !== undefined,
    s3Endpoint: s3Endpoint ?? null,
    s3Region: s3Region ?? null,
  };
}

function plannedChanges({ map, steps, hashKey }: RecordChanges): PlannedChanges {
  return { map, steps, hashKeyCheck: hashKey === undefined ? null : checkValue(hashKey) };
}

function plannedTarget(settings: TargetSettings): PlannedTarget {
  const { timeoutMs, retryWindowMs, allUrls, ignoreIntegrations, ca } = settings;
  const delivery = {
    ...{ timeoutMs, retryWindowMs, allUrls, ignoreIntegrations },
    usesCa: ca.length > 0,
    usesClientCertificate: settings.clientCertificate !== undefined,
    usesProxy: usesProxy(settings),
  };
  if (settings.kind === 'collector') {
    const { endpoint, writeKey } = settings;
    return {
      ...{ kind: 'collector', endpoint: withoutQuery(endpoint), ...delivery },
      queryCheck: queryCheck(endpoint),
      writeKeyCheck: checkValue(writeKey),
    };
  }
  const { endpoints, signing = [], body = 'webhook', batch } = settings;
  return {
    ...{ kind: 'webhooks', endpoints: endpoints.map(plannedEndpoint), ...delivery, body },
    ...(batch && { batch }),
    signing: signing.map(plannedSigning),
  };
}

function usesProxy(settings: TargetSettings): boolean {
  const users = settings.kind === 'collector' ? [settings] : settings.endpoints;
  return users.some(({ proxy }) => proxy !== undefined);
}

function plannedSigning({ scheme, secrets }: SigningSettings): PlannedSigning {
  return { scheme, secretCheck: secretsCheck(secrets), secretCount: secrets.length };
}

function plannedEndpoint(endpoint: Endpoint): PlannedEndpoint {
  const { url, headers, tls } = endpoint;
  return {
    url: withoutQuery(url),
    queryCheck: queryCheck(url),
    headerNames: headerPairs(headers).map(([name]) => name.toLowerCase()),
    headersCheck: headersCheck(headers),
    settings: ownSettings(endpoint),
    usesAuth: endpoint.auth !== undefined,
    ...(tls && { usesTls: true }),
  };
}

function plannedSelection({ users, ...rest }: Selection): PlannedSelection {
  return { ...rest, ...(users && { users: [...users] }) };
}
