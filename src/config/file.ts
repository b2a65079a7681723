import { readFile } from 'node:fs/promises';
import { systemClock } from '../clock.js';
import { UsageError } from '../errors.js';
import type { ConfigDocument } from './document.js';
import { durationHint, durationMs } from './duration.js';
import { expandReferences } from './environment.js';
import { findConfig, type ConfigContext } from './find.js';
import { suggestion } from '../nearest.js';
import { quoted } from '../quoted.js';
import type { TlsPlace } from './endpoint-tls.js';
import type { ConfigFile, ProfileSection } from './schema.js';
import type { Scheme } from '../sign/schemes/scheme.js';
import type { BatchSettings } from '../webhook/batch-settings.js';
import type { BodyForm } from '../webhook/body-form.js';
import type { Endpoint } from '../webhook/endpoint.js';

/** The location of the configuration file, and the requested profile. */
export interface ProfileRequest extends ConfigContext {
  readonly profile: string;
  /** The environment variable that names it, for errors; absent if it was named by a flag. */
  readonly variable?: string;
}

/** A named target and its settings; settings that the file omits are omitted here. */
export interface Profile {
  readonly name: string;
  /** Its location, for messages: `file:line: profiles.name`. */
  readonly location: string;
  readonly webhooks?: {
    /** For a rotation a list, newest first. */
    readonly sharedSecret?: string | readonly string[];
    /** The name of the signature scheme. Default: `x-signature`. */
    readonly scheme?: string;
    readonly body?: BodyForm;
    /** How many events go in one request. Default: each is one. */
    readonly batch?: BatchSettings;
    /** 1 to 5, each with its settings, or those of `webhooks` where it has none. */
    readonly endpoints: readonly Endpoint[];
  };
  readonly collector?: { readonly writeKey: string; readonly endpoint: string };
  readonly timeoutMs?: number;
  readonly retryWindowMs?: number;
  readonly allUrls?: boolean;
}

/**
 * Reads one profile of the configuration file. The whole file is checked against the schema, but only
 * the variables that this profile references have to be set.
 *
 * @throws UsageError for a missing file or profile, text that is not YAML, unknown keys, wrong types
 * and unset variables; with file, line and key path, and without any value.
 */
export async function loadProfile(request: ProfileRequest): Promise<Profile> {
  const file = await findConfig(request);
  const { config, document } = await readConfigFile(file);
  const section = profileOf(config, request, file);
  const path = ['profiles', request.profile];
  const expanded = expandReferences(section, request.env, document.where, path);
  return frozen(await toProfile(expanded, request, document));
}

/** A valid configuration file, and the locations of its parts. */
export interface ReadConfig {
  readonly config: ConfigFile;
  readonly document: ConfigDocument;
  /** The signature schemes of the file. */
  readonly schemes: readonly Scheme[];
}

/**
 * Reads a configuration file and checks it against the schema; its strings may still contain `${NAME}`.
 *
 * @throws UsageError as `loadProfile` does.
 */
export async function readConfigFile(file: string): Promise<ReadConfig> {
  const text = await readText(file);
  const { parseConfig } = await import('./document.js');
  const { checkConfig } = await import('./schema.js');
  const document = parseConfig(text, file);
  const config = checkConfig(document);
  return { config, document, schemes: await schemesOf(config, document) };
}

async function schemesOf({ schemes }: ConfigFile, { where }: ConfigDocument): Promise<Scheme[]> {
  if (!schemes) return [];
  const { ownScheme } = await import('./own-scheme.js');
  return Object.entries(schemes).map(([name, section]) => ownScheme(name, section, where));
}

/** @throws UsageError for a file that cannot be read */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
    throw new UsageError(
      `cannot read the configuration file ${file} (${code}); check the path in --config or EVFWD_CONFIG`,
      'usage',
      { cause },
    );
  }
}

function profileOf(
  config: ConfigFile,
  { profile: name, variable }: ProfileRequest,
  file: string,
): ProfileSection {
  const profiles = config.profiles ?? {};
  if (Object.hasOwn(profiles, name)) return profiles[name]!;
  const known = Object.keys(profiles);
  const shown = quoted(name, 'name') + (variable ? ` of ${variable}` : '');
  throw new UsageError(
    known.length === 0
      ? `${file}: unknown profile ${shown}; the file has no profiles`
      : `${file}: unknown profile ${shown}; ${suggestion(name, known)}`,
  );
}

/** Loaded late, with what only a profile needs. */
async function toProfile(
  section: ProfileSection,
  { profile: name, env }: Pick<ProfileRequest, 'profile' | 'env'>,
  { file, where }: ConfigDocument,
): Promise<Profile> {
  const { timeout, retryWindow, allUrls, webhooks, collector } = section;
  const { endpointsOf } = await import('./endpoints.js');
  const { checkUrl } = await import('../http/url.js');
  const path = ['profiles', name];
  const place = { file, where, path: [...path, 'webhooks'], now: systemClock.now() };
  const plain = webhooks && endpointsOf(webhooks, place.path, where, env);
  const endpoints = plain && (await withCertificates(plain, webhooks, place));
  const batch =
    webhooks?.batch &&
    (await import('./batch.js')).batchOf(webhooks.batch, [...place.path, 'batch'], where);
  if (collector) checkUrl(collector.endpoint, where([...path, 'collector', 'endpoint']));
  return {
    name,
    location: where(path),
    ...(webhooks &&
      endpoints && { webhooks: { ...signingOf(webhooks), ...(batch && { batch }), endpoints } }),
    ...(collector && { collector }),
    ...(allUrls !== undefined && { allUrls }),
    ...(timeout !== undefined && { timeoutMs: milliseconds('timeout', timeout) }),
    ...(retryWindow !== undefined && { retryWindowMs: milliseconds('retryWindow', retryWindow) }),
  };

  /** Checks values of the environment; those of the file are checked by the schema. */
  function milliseconds(key: string, text: string): number {
    const value = durationMs(text);
    if (value !== undefined) return value;
    throw new UsageError(`${where(['profiles', name, key])} must be a duration; ${durationHint}`);
  }
}

type Signing = Pick<NonNullable<Profile['webhooks']>, 'sharedSecret' | 'scheme' | 'body'>;

/** How requests are signed, and what is in them. */
function signingOf({ sharedSecret, scheme, body }: Signing): Signing {
  return {
    ...(sharedSecret !== undefined && { sharedSecret }),
    ...(scheme !== undefined && { scheme }),
    ...(body !== undefined && { body }),
  };
}

/** Most targets have no certificates, so what reads them is imported late. */
async function withCertificates(
  endpoints: readonly Endpoint[],
  section: NonNullable<ProfileSection['webhooks']>,
  place: TlsPlace,
): Promise<readonly Endpoint[]> {
  const hasTls = section.tls !== undefined || section.endpoints.some(({ tls }) => tls);
  if (!hasTls) return endpoints;
  const { endpointsWithTls } = await import('./endpoint-tls.js');
  return endpointsWithTls(endpoints, section, place);
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
