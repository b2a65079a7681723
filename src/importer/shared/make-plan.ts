import { randomUUID } from 'node:crypto';
import { statSync, type Stats } from 'node:fs';
import type { TargetSettings } from '../../config/open-target.js';
import type { Selection } from '../../events/select.js';
import { withoutQuery } from '../../http/url.js';
import { splitEntry } from '../../sources/entry-name.js';
import { absolutePath, isPlain, type Input } from '../../sources/input.js';
import type { RecordChanges } from '../../steps/changes.js';
import type { SigningSettings } from '../../sign/request-signer.js';
import { version } from '../../version.js';
import type { Endpoint } from '../../webhook/endpoint.js';
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
  type PlannedTarget,
} from './plan.js';

/** What a run is planned from; the rest is as in `Plan`. */
export interface PlanRequest extends Pick<
  Plan,
  'ids' | 'isOrdered' | 'rate' | 'stopAfter' | 'deadLettersChanged'
> {
  /** Files only, whose names are relative to the working directory. */
  readonly inputs: readonly Input[];
  /** Checked: its URLs are valid. */
  readonly settings: TargetSettings;
  readonly selection: Selection;
  readonly changes: RecordChanges | undefined;
}

/** Makes a new plan. Of the files, only sizes, times and the first two bytes are read. */
export function makePlan(request: PlanRequest): Plan {
  const { inputs, settings, selection, changes, ids, isOrdered, rate, stopAfter } = request;
  return {
    format: planFormat,
    program: version,
    files: inputs.map(plannedFile),
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
  const { file, entry } = input.object ? splitEntry(input.name) : { file: input.name };
  const found = statSync(file);
  const { layout, given } = input;
  return {
    path: absolutePath(file),
    size: found.size,
    modifiedMs: modifiedMsOf(found),
    isWhole: !isPlain(input),
    ...(layout && layout !== 'plain' && { layout }),
    ...(given && { given }),
    ...(entry !== undefined && { entry }),
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
  };
  if (settings.kind === 'collector') {
    const { endpoint, writeKey } = settings;
    return {
      ...{ kind: 'collector', endpoint: withoutQuery(endpoint), ...delivery },
      queryCheck: queryCheck(endpoint),
      writeKeyCheck: checkValue(writeKey),
    };
  }
  const { endpoints, signing = [], body = 'webhook' } = settings;
  return {
    ...{ kind: 'webhooks', endpoints: endpoints.map(plannedEndpoint), ...delivery, body },
    signing: signing.map(plannedSigning),
  };
}

function plannedSigning({ scheme, secrets }: SigningSettings): PlannedSigning {
  return { scheme, secretCheck: secretsCheck(secrets), secretCount: secrets.length };
}

function plannedEndpoint({ url, headers }: Endpoint): PlannedEndpoint {
  return {
    url: withoutQuery(url),
    queryCheck: queryCheck(url),
    headerNames: headerPairs(headers).map(([name]) => name.toLowerCase()),
    headersCheck: headersCheck(headers),
  };
}

function plannedSelection({ users, ...rest }: Selection): PlannedSelection {
  return { ...rest, ...(users && { users: [...users] }) };
}
