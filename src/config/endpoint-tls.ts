import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { certificateEnd } from '../http/certificate-end.js';
import { reasonOf } from '../sources/input.js';
import type { Endpoint, EndpointTls } from '../webhook/endpoint.js';
import {
  checkedPair,
  checkHasCertificate,
  isEncrypted,
  type PemText,
} from './certificate-files.js';
import type { Where } from './environment.js';
import type { EndpointSection, TlsSection } from './schema.js';

/** The code of the error for certificates and keys that cannot be used, as their files are now. */
export const certificateUnusable = 'certificate_unusable';

/** A client certificate has expired. */
export class ExpiredCertificateError extends UsageError {
  /** When it ended; milliseconds since 1970. */
  readonly end: number;
  /** The index of an endpoint that it is for. */
  readonly endpoint: number;

  constructor(message: string, end: number, endpoint: number) {
    super(message, certificateUnusable);
    this.end = end;
    this.endpoint = endpoint;
  }
}

/** A target in the file: its endpoints, and certificates for those without their own. */
export interface TlsTarget {
  readonly endpoints: readonly EndpointSection[];
  readonly tls?: TlsSection;
}

/** Where a target is in the configuration file. */
export interface TlsPlace {
  /** Paths are relative to its folder. */
  readonly file: string;
  readonly where: Where;
  /** The key path of the target. */
  readonly path: readonly PropertyKey[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The endpoints of a target with the certificates that their files have now. A certificate and its key fit each other,
 * and the certificate holds now.
 *
 * @param endpoints those of the target, without certificates
 * @param target whose values are expanded
 * @throws UsageError with file, line and key path, never with a part of a file or the passphrase
 */
export function endpointsWithTls(
  endpoints: readonly Endpoint[],
  { endpoints: sections, tls }: TlsTarget,
  place: TlsPlace,
): Endpoint[] {
  const common = tls && readTls(tls, { ...place, path: [...place.path, 'tls'] });
  return endpoints.map((endpoint, index) => {
    const path = [...place.path, 'endpoints', index, 'tls'];
    const own = sections[index]?.tls;
    const read = own ? readTls(own, { ...place, path }) : common;
    return read ? { ...endpoint, tls: read } : endpoint;
  });
}

/** The files that a target names, as absolute paths. */
export function filesOfTls({ endpoints, tls }: TlsTarget, file: string): string[] {
  const sections = [tls, ...endpoints.map((endpoint) => endpoint.tls)];
  const paths = sections.flatMap((section) => [section?.cert, section?.key, section?.ca]);
  return paths.flatMap((path) => (path === undefined ? [] : [absolute(path, file)]));
}

function readTls(section: TlsSection, place: TlsPlace): EndpointTls {
  const { cert, key, ca, keyPassphrase } = section;
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] =
      cert === undefined ? (['key', 'cert'] as const) : (['cert', 'key'] as const);
    throw new UsageError(`${labelOf(place, given)} needs ${missing} beside it; set both`);
  }
  try {
    const authority = ca === undefined ? undefined : pemOf('ca', ca, place);
    if (authority) checkHasCertificate(authority);
    const trusted = authority && { ca: [authority.text] };
    const caFile = ca !== undefined && { ca: absolute(ca, place.file) };
    if (cert === undefined || key === undefined) return { ...trusted, files: { ...caFile } };
    const certificate = pemOf('cert', cert, place);
    const privateKey = pemOf('key', key, place);
    const passphrase = { label: 'keyPassphrase', text: keyPassphrase };
    const pair = checkedPair(certificate, privateKey, passphrase);
    checkHolds(certificate, place);
    const files = {
      ...{ ...caFile, cert: absolute(cert, place.file), key: absolute(key, place.file) },
      ...(isEncrypted(privateKey) && { isKeyEncrypted: true as const }),
    };
    return { ...trusted, clientCertificate: pair, files };
  } catch (cause) {
    if (cause instanceof ExpiredCertificateError) throw cause;
    throw new UsageError((cause as Error).message, certificateUnusable, { cause });
  }
}

function checkHolds({ label, text }: PemText, { now, path }: TlsPlace): void {
  const { validFrom } = new X509Certificate(text);
  const end = certificateEnd(text);
  const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
  if (end <= now) {
    const index = path.at(-2);
    throw new ExpiredCertificateError(
      `${label}: the certificate expired on ${dayOf(end)}; renew it`,
      end,
      typeof index === 'number' ? index : 0,
    );
  }
  if (Date.parse(validFrom) > now) {
    throw new UsageError(
      `${label}: the certificate is not valid before ${dayOf(Date.parse(validFrom))}; check the clock, or use another one`,
    );
  }
}

function pemOf(key: string, path: string, place: TlsPlace): PemText {
  const found = absolute(path, place.file);
  const label = `${labelOf(place, key)}: ${found}`;
  try {
    return { label, text: readFileSync(found, 'utf8') };
  } catch (cause) {
    throw new UsageError(`${label}: ${reasonOf(cause)}`, 'usage', { cause });
  }
}

function labelOf({ where, path }: TlsPlace, key: string): string {
  return where([...path, key]);
}

function absolute(path: string, file: string): string {
  return resolve(dirname(file), path);
}
