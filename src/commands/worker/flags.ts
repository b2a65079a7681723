import { resolve } from 'node:path';
import type { Command } from 'commander';
import { defaults } from '../../defaults.js';
import type { Root } from '../../importer/queue/worker/file-roots.js';
import { collect, collectHeader, invalidValue, parseWhole } from '../shared/flag-values.js';
import { helpFlag, noColorText } from '../shared/flags.js';
import type { QueueFlags } from '../shared/queue-flags.js';
import { addSecretFlags } from '../shared/secret-flags.js';
import type { TargetFlags } from '../shared/target-flags.js';

/** Flags of `worker`, as commander parses them. */
export interface WorkerFlags
  extends
    QueueFlags,
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
      | 'config'
      | 'profile'
    > {
  ranges?: number;
  concurrency: number;
  threads?: number;
  root?: Root[];
  log?: string;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

export function addWorkFlags(command: Command): Command {
  return command
    .optionsGroup('Work:')
    .option(
      '--ranges <n>',
      'ranges of files in hand at once, per run (default: 2 or --threads)',
      parseWhole(1),
    )
    .option(
      '--concurrency <n>',
      'maximum requests in flight per URL, over these ranges',
      parseWhole(1),
      defaults.concurrency,
    )
    .option('--threads <n>', 'maximum worker threads (default: number of cores)', parseWhole(1))
    .option(
      '--root <from=to>',
      'files planned below one folder are below another one here (repeatable)',
      collectRoot,
    )
    .option('--log <file>', 'append one line per attempt of this worker');
}

/** What a plan does not hold. */
export function addOwnTargetFlags(command: Command): Command {
  command
    .optionsGroup('Target, what the queue does not hold:')
    .option('-p, --profile <name>', 'target from the configuration file (env: EVFWD_PROFILE)')
    .option('--config <file>', 'configuration file (env: EVFWD_CONFIG)');
  return addSecretFlags(command)
    .option('--also-secret-file <path>', 'file with the secret of --also-scheme')
    .option(
      '-H, --header <header>',
      "value of a header that a run needs: 'Name: value' (repeatable)",
      collectHeader,
    )
    .option('--write-key <key>', 'write key of a collector (env: EVFWD_WRITE_KEY)')
    .option(
      '--url <url>',
      'URL with the query that a run needs (repeatable; env: EVFWD_URL)',
      collect,
    )
    .option(
      '--endpoint <url>',
      'URL of a collector with the query that a run needs (env: EVFWD_ENDPOINT)',
    )
    .option('--ca <file>', 'additional CA certificates (PEM)')
    .option('--cert <file>', 'client certificate (PEM), for servers that require one; needs --key')
    .option('--key <file>', 'private key of --cert (PEM, not encrypted)');
}

export function addWorkerOutputFlags(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .helpOption(...helpFlag)
    .option('-q, --quiet', 'print only errors to standard error')
    .option('-v, --verbose', 'print a line for each range')
    .option('--no-color', noColorText);
}

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
