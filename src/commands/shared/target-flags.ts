import type { Command } from 'commander';
import type { Profile } from '../../config/file.js';
import type { TargetSettings } from '../../config/open-target.js';
import { defaults } from '../../defaults.js';
import { UsageError } from '../../errors.js';
import type { Io } from './command.js';
import { collect, collectHeader, parseDuration } from './flag-values.js';
import { addSecretFlags, resolveSecret } from './secret-flags.js';

/** Flags of every command that sends, as commander parses them. */
export interface TargetFlags {
  url?: string[];
  header?: string[];
  secret?: string;
  secretFile?: string;
  writeKey?: string;
  endpoint?: string;
  timeout?: number;
  retryWindow?: number;
  ca?: string;
  allUrls?: boolean;
  config?: string;
  profile?: string;
  ignoreIntegrations?: boolean;
  quiet?: boolean;
}

export function addTargetFlags(command: Command, retryWindow: string): Command {
  command
    .option('--url <url>', 'webhook URL, 1 to 5 times (environment: EVFWD_URL)', collect)
    .option('-H, --header <header>', "static header 'Name: value', up to 5 times", collectHeader);
  return addSecretFlags(command)
    .option('--write-key <key>', 'send to a collector instead (environment: EVFWD_WRITE_KEY)')
    .option('--endpoint <url>', 'the collector (environment: EVFWD_ENDPOINT)')
    .option('--timeout <duration>', `time for an answer (default: ${defaults.timeout})`, positive)
    .option(
      '--retry-window <duration>',
      `how long one event is retried (default: ${retryWindow})`,
      parseDuration,
    )
    .option('--ca <file>', 'certificates (PEM) to trust beside those of this machine')
    .option('--all-urls', 'every URL must take the event; one success is enough without it')
    .option('--ignore-integrations', 'send events whose integrations turn webhooks off')
    .option('--config <file>', 'configuration file (environment: EVFWD_CONFIG)')
    .option('-p, --profile <name>', 'profile of that file (environment: EVFWD_PROFILE)');
}

function positive(text: string): number {
  const ms = parseDuration(text);
  if (ms > 0) return ms;
  throw new UsageError(`--timeout ${text}: there is no time for any answer; give more than 0`);
}

/** @throws UsageError for whatever is wrong with flags, environment, profile or files. */
export async function resolveTarget(
  flags: TargetFlags,
  io: Io,
  retryWindowMs: number,
): Promise<TargetSettings> {
  const { chooseTarget } = await import('../../config/target.js');
  const profile = await profileOf(flags, io);
  const place = chooseTarget(flags, io.env, profile);
  const shared = {
    timeoutMs: flags.timeout ?? profile?.timeoutMs ?? defaults.timeoutMs,
    retryWindowMs: flags.retryWindow ?? profile?.retryWindowMs ?? retryWindowMs,
    allUrls: flags.allUrls ?? profile?.allUrls ?? false,
    ignoreIntegrations: flags.ignoreIntegrations ?? false,
    ca: flags.ca === undefined ? [] : [await readCertificates(flags.ca)],
  };
  if (place.kind === 'collector') return { ...place, ...shared };
  const sharedSecret = resolveSecret(flags, io) ?? profile?.webhooks?.sharedSecret;
  return { ...place, ...shared, ...(sharedSecret !== undefined && { sharedSecret }) };
}

async function profileOf(flags: TargetFlags, io: Io): Promise<Profile | undefined> {
  const name = flags.profile ?? io.env.EVFWD_PROFILE;
  const path = flags.config ?? io.env.EVFWD_CONFIG;
  if (!name) {
    if (flags.config === undefined) return undefined;
    throw new UsageError('--config names a file, and --profile what to take from it; give both');
  }
  const { loadProfile } = await import('../../config/file.js');
  const { homedir } = await import('node:os');
  return loadProfile({
    profile: name,
    cwd: io.cwd,
    home: homedir(),
    env: io.env,
    ...(path && { path }),
  });
}

async function readCertificates(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const { reasonOf } = await import('../../input/input.js');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`--ca ${path}: ${reasonOf(cause)}`, 'usage', { cause });
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new UsageError(`--ca ${path}: has no PEM certificate (-----BEGIN CERTIFICATE-----)`);
}
