import { resolve } from 'node:path';
import type { Root } from '../../importer/shared/worker/file-roots.js';
import { changeFlags } from '../flags/changes.js';
import { flag, type Flag, type FlagGroups } from '../flags/flag.js';
import { outputFlags } from '../flags/output.js';
import { storeFlags } from '../flags/store.js';
import { concurrencyFlag, logFlag, threadsFlag } from '../flags/run.js';
import { placeFlags } from '../flags/source.js';
import { secretFlags, signingFlags } from '../flags/signing.js';
import {
  collectorFlags,
  connectionFlags,
  headerFlag,
  profileFlags,
  proxyFlag,
  urlFlag,
} from '../flags/target.js';
import { collect } from '../shared/collect.js';
import { invalidValue, parseWhole } from '../shared/flag-values.js';
import type { StoreFlags } from '../shared/store-flags.js';
import type { TargetFlags } from '../shared/target-flags.js';

/** Flags of `worker`, as commander parses them. */
export interface WorkerFlags
  extends
    StoreFlags,
    Pick<
      TargetFlags,
      | 'url'
      | 'endpoint'
      | 'header'
      | 'secret'
      | 'secretFile'
      | 'alsoSecretFile'
      | 'writeKey'
      | 'ca'
      | 'cert'
      | 'key'
      | 'proxy'
      | 'config'
      | 'profile'
    > {
  parts?: number;
  concurrency: number;
  threads?: number;
  root?: Root[];
  log?: string;
  sourceUrl?: string[];
  sourceHeader?: string[];
  sourceCa?: string;
  s3Endpoint?: string;
  s3Region?: string;
  hashKeyFile?: string;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

/** Those of `import` that only one process there can have are a worker's own. */
const own = { excludes: {} };

const workFlags = [
  flag('--parts <n>', 'parts in hand, per run; small ones count less (default: 2 or --threads)', {
    parse: parseWhole(1),
  }),
  {
    ...{ ...concurrencyFlag, ...own },
    text: 'maximum requests in flight per URL, over these parts',
  },
  { ...threadsFlag, ...own },
  flag(
    '--root <from=to>',
    'files planned below one folder are below another one here (repeatable)',
    {
      parse: collectRoot,
    },
  ),
  { ...logFlag, ...own, text: 'append one line per attempt of this worker' },
];

const { config, profile } = profileFlags;

/** What a plan does not hold. */
const ownTargetFlags = [
  profile,
  config,
  ...Object.values(secretFlags),
  {
    ...signingFlags.alsoSecretFile,
    text: 'file with the secret of --also-scheme',
    // The plan has the scheme.
    needs: undefined,
  },
  { ...headerFlag, text: "value of a header that a run needs: 'Name: value' (repeatable)" },
  collectorFlags.writeKey,
  { ...urlFlag, text: 'URL with the query that a run needs (repeatable; env: EVFWD_URL)' },
  {
    ...collectorFlags.endpoint,
    text: 'URL of a collector with the query that a run needs (env: EVFWD_ENDPOINT)',
  },
  { ...changeFlags.hashKeyFile, ...own, needs: undefined },
  ...Object.values(connectionFlags),
  proxyFlag,
];

/** What a plan does not hold of sources behind URLs. */
const ownSourceFlags = [
  flag(
    '--source-url <url>',
    'whole URL of a source whose query a run needs (repeatable; env: EVFWD_SOURCE_URL)',
    { parse: collect, variable: 'EVFWD_SOURCE_URL' },
  ),
  ...placeFlags,
];

/** All but those of the output, below their headings in the help. */
export const workerFlags: FlagGroups = {
  'Store:': Object.values(storeFlags),
  'Work:': workFlags,
  'Target (secrets are not in the store):': ownTargetFlags,
  'Sources behind URLs:': ownSourceFlags,
};

const { quiet, verbose, color } = outputFlags;

export const workerOutputFlags: readonly Flag[] = [
  quiet,
  { ...verbose, text: 'print a line for each part' },
  color,
];

/** `/data=/mnt/data`: the planner's folder, and where it is here; a relative one is below this folder. */
function collectRoot(text: string, previous: Root[] | undefined): Root[] {
  const at = text.indexOf('=');
  const [from, to] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || to === '') throw invalidValue(text, 'must have the form from=to');
  if (!from.startsWith('/')) throw invalidValue(text, 'must begin with an absolute path');
  return [...(previous ?? []), { from: withoutSlash(from), to: withoutSlash(resolve(to)) }];
}

function withoutSlash(folder: string): string {
  return folder.replace(/\/+$/, '');
}
