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
    .option('--url <url>', 'webhook URL, up to 5 (repeatable; environment: EVFWD_URL)', collect)
    .option(
      '-H, --header <header>',
      "static header 'Name: value', up to 5 (repeatable)",
      collectHeader,
    );
  return addSecretFlags(command)
    .option(
      '--write-key <key>',
      'write key of a collector, to send there instead of to webhooks (environment: EVFWD_WRITE_KEY)',
    )
    .option('--endpoint <url>', 'collector URL (environment: EVFWD_ENDPOINT)')
    .option('--timeout <duration>', `response timeout (default: ${defaults.timeout})`, positive)
    .option(
      '--retry-window <duration>',
      `how long to retry an event (default: ${retryWindow})`,
      parseDuration,
    )
    .option('--ca <file>', 'additional CA certificates (PEM)')
    .option('--all-urls', 'require every URL to succeed (default: any one)')
    .option('--ignore-integrations', 'send events even if their integrations disable webhooks')
    .option('--config <file>', 'configuration file (environment: EVFWD_CONFIG)')
    .option(
      '-p, --profile <name>',
      'profile in the configuration file (environment: EVFWD_PROFILE)',
    );
}

function positive(text: string): number {
  const ms = parseDuration(text);
  if (ms > 0) return ms;
  throw new UsageError(`--timeout ${text}: must be more than 0`);
}

/** @throws UsageError when flags, environment, profile or files are not valid. */
export async function resolveTarget(
  flags: TargetFlags,
  io: Io,
  retryWindowMs: number,
): Promise<TargetSettings> {
  const { chooseTarget } = await import('../../config/target.js');
  const profile = await profileOf(flags, io);
  const target = chooseTarget(flags, io.env, profile);
  const shared = {
    timeoutMs: flags.timeout ?? profile?.timeoutMs ?? defaults.timeoutMs,
    retryWindowMs: flags.retryWindow ?? profile?.retryWindowMs ?? retryWindowMs,
    allUrls: flags.allUrls ?? profile?.allUrls ?? false,
    ignoreIntegrations: flags.ignoreIntegrations ?? false,
    ca: flags.ca === undefined ? [] : [await readCertificates(flags.ca)],
  };
  if (target.kind === 'collector') return { ...target, ...shared };
  const sharedSecret = resolveSecret(flags, io) ?? profile?.webhooks?.sharedSecret;
  return { ...target, ...shared, ...(sharedSecret !== undefined && { sharedSecret }) };
}

async function profileOf(flags: TargetFlags, io: Io): Promise<Profile | undefined> {
  const name = flags.profile ?? io.env.EVFWD_PROFILE;
  const path = flags.config ?? io.env.EVFWD_CONFIG;
  if (!name) {
    if (flags.config === undefined) return undefined;
    throw new UsageError('--config needs --profile, the name of a profile in that file; use both');
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
