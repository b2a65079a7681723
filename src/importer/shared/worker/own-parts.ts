import type { ClientCertificate } from '../../../http/tls.js';
import type { Secret } from '../../../sign/schemes/scheme.js';
import type { Endpoint } from '../../../webhook/endpoint.js';
import type { OwnSources } from './complete-sources.js';

/** What a plan does not hold, and a worker has of its own: from flags, environment and profile. */
export interface OwnParts {
  /** Newest first; empty without one. */
  readonly secrets: readonly Secret[];
  /** Of `--also-secret-file`. */
  readonly alsoSecret?: Secret | undefined;
  /** Of `--header`: for every URL. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** URLs with their queries, and with their own headers and proxies if they are from a profile. */
  readonly endpoints: readonly Endpoint[];
  readonly writeKey: string | undefined;
  readonly sources: OwnSources;
  /** Of `--hash`, in Base64. */
  readonly hashKey?: string | undefined;
  /** Certificates (PEM) to trust. */
  readonly ca: readonly string[];
  readonly clientCertificate: ClientCertificate | undefined;
  /** The proxy of a URL by `--proxy`, which is in place of those of `endpoints`; undefined without the flag. */
  readonly proxyOf?: ((url: string) => string | undefined) | undefined;
  /** The same for the URL of a token endpoint, as of `OAuth2Settings.proxy`. */
  readonly tokenProxyOf?: ((url: string) => string | null | undefined) | undefined;
}
