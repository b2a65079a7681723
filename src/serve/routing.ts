import { systemClock } from '../clock.js';
import { batchOf } from '../config/batch.js';
import type { ConfigDocument } from '../config/document.js';
import { endpointsOf } from '../config/endpoints.js';
import {
  certificateUnusable,
  endpointsWithTls,
  ExpiredCertificateError,
  filesOfTls,
  type TlsPlace,
} from '../config/endpoint-tls.js';
import { expandReferences, type Environment, type Where } from '../config/environment.js';
import type { ConfigFile, DestinationSection, SourceSection } from '../config/schema.js';
import { UsageError } from '../errors.js';
import { withoutQuery } from '../http/url.js';
import { similar } from '../nearest.js';
import type { Scheme } from '../sign/schemes/scheme.js';
import type { Endpoint } from '../webhook/endpoint.js';
import { webhooksName } from '../webhook/integrations.js';
import { alertSettings } from './alerts/settings.js';
import { destinationSigning } from './destination-signing.js';
import { keepSettingsOf } from './kept/settings.js';
import { checkRawConditions, checkRawTypes } from './raw/conditions.js';
import { checkNoBatches, resigningOf, retryWindowOf } from './raw/destination-settings.js';
import { sourceSecretsOf } from './raw/source-secrets.js';
import { checkRawPaths, rawSourceOf } from './raw/source-settings.js';
import type { Destination, Routing, Source } from './types.js';

/**
 * Builds the routing from a configuration file that has passed its schema: expands environment
 * variables and checks references between sections.
 *
 * @param schemes own ones of the same file
 * @throws UsageError with file, line and key path of the first mistake; values are never shown.
 */
export function routingOf(
  config: ConfigFile,
  { where, file }: Pick<ConfigDocument, 'where' | 'file'>,
  env: Environment,
  schemes: readonly Scheme[],
): Routing {
  if (Object.keys(config.sources ?? {}).length === 0) throw noSources(where);
  const sources = expandReferences(config.sources!, env, where, ['sources']);
  const destinations = expandReferences(config.destinations ?? {}, env, where, ['destinations']);
  checkWriteKeys(sources, where);
  checkNames(sources, Object.keys(destinations), where);
  const read = Object.entries(sources).map(([name, section]) => ({
    ...sourceOf(name, section),
    ...(section.type === 'raw' && { raw: rawSourceOf(section, { name, where, file }, schemes) }),
  }));
  checkRawTypes(read, destinations, where);
  const endpoints = new Map(
    Object.entries(destinations).map(([name, section]) => [
      name,
      endpointsOf(section, ['destinations', name], where, env),
    ]),
  );
  const certificateFiles = Object.values(destinations).flatMap((one) => filesOfTls(one, file));
  checkRawPaths(read, where);
  checkNoBatches(read, destinations, where);
  checkRawConditions(read, destinations, where);
  return {
    sources: read,
    destinations: Object.entries(destinations).map(([name, section]) => {
      const path = ['destinations', name];
      checkOrder(section, path, where);
      const place = { file, where, path, now: systemClock.now() };
      const usable = withCertificates(endpoints.get(name)!, section, place);
      const { endpoints: own } = usable;
      const signing = destinationSigning(section, own, path, where, schemes);
      const batch = section.batch && batchOf(section.batch, [...path, 'batch'], where);
      const alerts = alertSettings(section, [...path, 'alerts'], where, { schemes, env });
      checkAlerts(alerts, batch, path, where);
      return destinationOf(name, section, {
        ...(signing && { signing }),
        ...resigningOf(section, own, path, where, schemes),
        ...sourceSecretsOf(name, read),
        ...retryWindowOf(section, path, where),
        ...usable,
        ...(batch && { batch }),
        ...(alerts && { alerts }),
      });
    }),
    ...(certificateFiles.length > 0 && { certificateFiles }),
    ...(config.deadLetters?.keep !== undefined && { maxDeadLetters: config.deadLetters.keep }),
    keep: keepSettingsOf(
      expandReferences(keptSection(config), env, where, []),
      destinations,
      where,
    ),
  };
}

function keptSection({
  retention,
  maxDisk,
}: ConfigFile): Pick<ConfigFile, 'retention' | 'maxDisk'> {
  return {
    ...(retention !== undefined && { retention }),
    ...(maxDisk !== undefined && { maxDisk }),
  };
}

/** An event that waits for its batch would be an outage. */
function checkAlerts(
  alerts: Destination['alerts'],
  batch: Destination['batch'],
  path: readonly string[],
  where: Where,
): void {
  if (!alerts || !batch || batch.waitMs < alerts.afterMs) return;
  throw new UsageError(
    `${where([...path, 'batch'])}: wait must be shorter than after of its alerts, or each wait is an outage`,
  );
}

/** A batch has events of many users, and would end as a whole. */
function checkOrder(section: DestinationSection, path: readonly string[], where: Where): void {
  if (section.ordered === undefined || section.batch === undefined) return;
  throw new UsageError(
    `${where([...path, 'ordered'])}: events of one user cannot go one after the other in batches; remove ordered or batch`,
  );
}

function noSources(where: Where): UsageError {
  return new UsageError(
    `${where(['sources'])} is missing or empty; serve needs at least one source: a name, its writeKey and its destinations`,
  );
}

type Sources = Readonly<Record<string, SourceSection>>;

function checkWriteKeys(sources: Sources, where: Where): void {
  const owners = new Map<string, string>();
  for (const [name, { writeKey }] of Object.entries(sources)) {
    if (writeKey === undefined) continue;
    const place = (): string => where(['sources', name, 'writeKey']);
    const owner = owners.get(writeKey);
    if (owner !== undefined) {
      throw new UsageError(
        `${place()} is already used by the source "${owner}"; use a different key for each source`,
      );
    }
    // In Basic authentication a colon ends the user name.
    if (!/^[!-9;-~]+$/.test(writeKey)) {
      throw new UsageError(
        `${place()} has characters that clients cannot send; use ASCII without spaces and colons`,
      );
    }
    owners.set(writeKey, name);
  }
}

function checkNames(sources: Sources, names: readonly string[], where: Where): void {
  const known = new Set(names);
  for (const [name, { destinations }] of Object.entries(sources)) {
    const listed = new Set<string>();
    destinations.forEach((destination, index) => {
      const place = (): string => where(['sources', name, 'destinations', index]);
      if (!known.has(destination)) {
        throw new UsageError(
          `${place()}: unknown destination "${destination}"; ${hint(destination, names)}`,
        );
      }
      if (listed.has(destination)) {
        throw new UsageError(`${place()}: "${destination}" is duplicated; remove it`);
      }
      listed.add(destination);
    });
  }
}

function hint(destination: string, known: readonly string[]): string {
  const near = similar(destination, known);
  return near === undefined ? 'add it under destinations' : `did you mean "${near}"?`;
}

/** Files that cannot be used now refuse this destination alone: they may be put right while the service runs. */
function withCertificates(
  endpoints: readonly Endpoint[],
  section: DestinationSection,
  place: TlsPlace,
): Pick<Destination, 'endpoints' | 'refusal' | 'expiredCertificate'> {
  try {
    return { endpoints: endpointsWithTls(endpoints, section, place) };
  } catch (error) {
    if (!(error instanceof UsageError) || error.code !== certificateUnusable) throw error;
    const refused = { endpoints, refusal: error.message };
    if (!(error instanceof ExpiredCertificateError)) return refused;
    const url = withoutQuery(endpoints[error.endpoint]!.url);
    return { ...refused, expiredCertificate: { url, end: error.end } };
  }
}

function sourceOf(name: string, { writeKey, enabled, destinations }: SourceSection): Source {
  return {
    name,
    ...(writeKey !== undefined && { writeKey }),
    isEnabled: enabled ?? true,
    destinations,
  };
}

function destinationOf(
  name: string,
  section: DestinationSection,
  more: Omit<
    Destination,
    'name' | 'integrationName' | 'isEnabled' | 'isSwitchedOff' | 'isHeldUp' | 'allowPrivateNetworks'
  >,
): Destination {
  const { enabled, allowPrivateNetworks, ordered } = section;
  return {
    name,
    integrationName: section.name ?? webhooksName,
    isEnabled: enabled ?? true,
    allowPrivateNetworks: allowPrivateNetworks ?? false,
    ...(ordered !== undefined && { ordered }),
    ...more,
  };
}
