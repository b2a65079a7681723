import type { BatchSettings } from '../../webhook/batch-settings.js';
import type { BodyForm } from '../../webhook/body-form.js';
import type { EndpointSettings } from '../../webhook/endpoint.js';
import type { EventType } from '../../events/event.js';
import type { GivenFormat } from '../../sources/formats/decode.js';
import type { Layout } from '../../sources/input.js';
import type { RecordChanges } from '../../steps/changes.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import type { IdPolicy } from '../../events/stamp.js';
import type { FailureLimit } from '../stop-rule.js';

/** The format of `Plan`; a worker refuses a plan of another format. */
export const planFormat = 6;

/**
 * What a run is to do: written once by its planner, read by every worker, never changed. It holds no
 * secret, write key, header value, certificate, proxy or URL query, only check values of them.
 */
export interface Plan {
  readonly format: number;
  /** The version of evfwd that made it, for messages. */
  readonly program: string;
  /** In the order of the command line; items refer to them by index. */
  readonly files: readonly PlannedFile[];
  /** How those behind URLs are read; null where all are on disk. */
  readonly sources: PlannedSources | null;
  readonly target: PlannedTarget;
  readonly selection: PlannedSelection;
  /** What is done to each record; null for nothing. */
  readonly changes: PlannedChanges | null;
  /** `--dead-letter-changed`. */
  readonly deadLettersChanged: boolean;
  readonly ids: IdPolicy;
  /** What `--ids new` derives ids from. */
  readonly seed: string;
  /** `--ordered`: one item per file, whose events are sent user by user. */
  readonly isOrdered: boolean;
  /** Events per second over all workers; null without a limit. */
  readonly rate: number | null;
  /** `--stop-after`; null for the default rule. In a record, that of the last resume if it had one. */
  readonly stopAfter: FailureLimit | null;
}

/** Stands for a plan of another format, of which nothing else is known. */
export function foreignPlan(format: number, program: string): Plan {
  return {
    ...{
      format,
      program,
      files: [],
      sources: null,
      selection: {},
      changes: null,
      deadLettersChanged: false,
      ids: 'keep',
      seed: '',
    },
    ...{ isOrdered: false, rate: null, stopAfter: null },
    target: {
      ...{ kind: 'webhooks', endpoints: [], signing: [], body: 'webhook' },
      ...{ timeoutMs: 0, retryWindowMs: 0, allUrls: false, ignoreIntegrations: false },
      ...{ usesCa: false, usesClientCertificate: false, usesProxy: false },
    },
  };
}

/** A file as the planner saw it, or what is behind a URL. */
export interface PlannedFile {
  /** Absolute; or a URL without its query, or `s3://bucket/key`. */
  readonly path: string;
  /** Bytes on disk. */
  readonly size: number;
  /** Whole milliseconds since 1970; 0 of what has a `version`. */
  readonly modifiedMs: number;
  /** Of what is behind a URL: its ETag, else what the server tells in place of it. */
  readonly version?: string;
  /** Whether `path` is not the whole URL: it has a query, or a password. */
  readonly isPartialUrl?: true;
  /** Whether it is one part: what is compressed, no NDJSON, or in an archive is read from its start. */
  readonly isWhole: boolean;
  /** Of Parquet: the number of rows of each row group, which are its parts. */
  readonly rowGroups?: readonly number[];
  /** Of what is no plain NDJSON. */
  readonly layout?: Exclude<Layout, 'plain'>;
  /** What the planner was told of its format. */
  readonly given?: GivenFormat;
  /** The name of an entry of the zip archive at `path`. */
  readonly entry?: string;
}

/**
 * What a worker needs to read what is behind URLs, without secrets and check values of them: presigned URLs and tokens
 * end earlier than a run.
 */
export interface PlannedSources {
  /** Lowercase names of the headers for `https:` and `http:` sources. */
  readonly headerNames: readonly string[];
  /** Whether the planner had `--source-ca`. */
  readonly usesCa: boolean;
  /** URL of a store that is compatible with S3; null for AWS's own. */
  readonly s3Endpoint: string | null;
  readonly s3Region: string | null;
}

/** `RecordChanges` without the key of `--hash`. */
export interface PlannedChanges extends Pick<RecordChanges, 'map' | 'steps'> {
  /** Check value of the key; null without one. */
  readonly hashKeyCheck: string | null;
}

export type PlannedTarget = PlannedWebhooks | PlannedCollector;

/** What both kinds of target have. */
interface PlannedDelivery {
  readonly timeoutMs: number;
  readonly retryWindowMs: number;
  readonly allUrls: boolean;
  readonly ignoreIntegrations: boolean;
  /** Whether the planner had `--ca`, so that a worker needs one as well. */
  readonly usesCa: boolean;
  /** Whether the planner had `--cert` and `--key`. */
  readonly usesClientCertificate: boolean;
  /** Whether the planner had a proxy, by `--proxy` or in its profile. */
  readonly usesProxy: boolean;
}

export interface PlannedWebhooks extends PlannedDelivery {
  readonly kind: 'webhooks';
  readonly endpoints: readonly PlannedEndpoint[];
  /** None, one, or two ways to sign. */
  readonly signing: readonly PlannedSigning[];
  readonly body: BodyForm;
  /** Default: each event is a request. */
  readonly batch?: BatchSettings;
}

export interface PlannedSigning {
  /** As a whole, since a worker may have no configuration file. */
  readonly scheme: Scheme;
  /** One check value of all secrets. */
  readonly secretCheck: string;
  /** How many secrets there are. */
  readonly secretCount: number;
}

export interface PlannedEndpoint {
  /** Whether it has certificates of its own, which each worker has in its profile. Default false. */
  readonly usesTls?: true;
  /** Without its query. */
  readonly url: string;
  /** Check value of the query; null without one. */
  readonly queryCheck: string | null;
  /** Lowercase names of the static headers. */
  readonly headerNames: readonly string[];
  /** One check value of the values of all of them; null without headers. */
  readonly headersCheck: string | null;
  /** What holds for this URL alone; it has no secrets. */
  readonly settings: EndpointSettings;
  /** Whether it has `auth`, which each worker has in a profile of its own. */
  readonly usesAuth: boolean;
}

export interface PlannedCollector extends PlannedDelivery {
  readonly kind: 'collector';
  /** Without its query. */
  readonly endpoint: string;
  readonly queryCheck: string | null;
  readonly writeKeyCheck: string;
}

/** `Selection` as plain data; times in milliseconds since 1970. */
export interface PlannedSelection {
  readonly since?: number;
  readonly until?: number;
  readonly types?: readonly EventType[];
  readonly events?: readonly string[];
  readonly users?: readonly string[];
  readonly where?: readonly string[];
  readonly sample?: number;
}
