import { isIPv4 } from 'node:net';
import { UsageError } from '../../errors.js';
import type { Clock } from '../../clock.js';
import type { Credentials } from './aws-credentials.js';
import type { AwsEnvironment } from './aws-profiles.js';

/** The part of `fetch` that is needed. */
export type Fetch = (
  url: string,
  options: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly redirect: 'error';
    readonly signal: AbortSignal;
  },
) => Promise<{ readonly status: number; text(): Promise<string> }>;

export interface EndpointOptions extends AwsEnvironment {
  readonly clock: Clock;
  readonly fetch: Fetch;
}

/** Those of ECS and EKS; undefined if the environment names no endpoint. */
export async function containerCredentials(
  options: EndpointOptions,
): Promise<Credentials | undefined> {
  const url = containerUrl(options.env);
  if (!url) return undefined;
  const what = "the container's credentials endpoint";
  const response = await request(options, url.href, await authorization(options), 5_000).catch(
    (cause: unknown) => {
      throw unusable(what, 'cannot be reached', cause);
    },
  );
  if (response.status !== 200) throw unusable(what, `answers HTTP ${response.status}`);
  return credentialsIn(response.text, what);
}

function containerUrl(env: AwsEnvironment['env']): URL | undefined {
  const relative = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  const ecs = 'http://169.254.170.2';
  if (relative) {
    const url = URL.canParse(relative, ecs) ? new URL(relative, ecs) : undefined;
    if (url?.origin === ecs && relative.startsWith('/')) return url;
    throw new UsageError('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path', 'credentials');
  }
  const full = env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  if (!full) return undefined;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url)))) return url;
  throw new UsageError(
    'AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor an address of this machine or its container service',
    'credentials',
  );
}

/** Loopback, and the link-local addresses of ECS and EKS: as in AWS's SDKs, keys are not asked for elsewhere in plain text. */
function isLocal({ hostname }: URL): boolean {
  const known = ['localhost', '[::1]', '169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];
  return known.includes(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'));
}

async function authorization({ env, readFile }: EndpointOptions): Promise<Record<string, string>> {
  const path = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = path
    ? await readFile(path).catch((cause: unknown) => {
        const name = 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE';
        throw new UsageError(`${name} cannot be read; check the path`, 'credentials', { cause });
      })
    : env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  if (!token) return {};
  const value = token.trim();
  if (!/^[\x20-\x7e]+$/.test(value))
    throw new UsageError('the authorization token of the container is not one line', 'credentials');
  return { Authorization: value };
}

/** Longer than any machine of AWS takes; elsewhere nothing answers, and nobody wants to wait. */
const metadataTimeoutMs = 1_000;

/** Those of the role of an EC2 instance, by version 2 of its metadata service; undefined if there is none. */
export async function instanceCredentials(
  options: EndpointOptions,
): Promise<Credentials | undefined> {
  const { env } = options;
  if (env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') return undefined;
  const base = metadataBase(env);
  const get = (path: string, headers: Record<string, string>, method = 'GET') =>
    request(options, `${base}${path}`, headers, metadataTimeoutMs, method).catch(() => undefined);

  const ttl = { 'X-aws-ec2-metadata-token-ttl-seconds': '21600' };
  const token = await get('/latest/api/token', ttl, 'PUT');
  if (token?.status !== 200) return undefined;
  const headers = { 'X-aws-ec2-metadata-token': token.text.trim() };
  const roles = '/latest/meta-data/iam/security-credentials/';
  const list = await get(roles, headers);
  const [role] = list?.text.trim().split('\n') ?? [];
  if (list?.status !== 200 || !role) return undefined;
  const found = await get(roles + encodeURIComponent(role), headers);
  const what = "the instance's metadata service";
  if (found?.status !== 200) throw unusable(what, 'gives no credentials for its role');
  return credentialsIn(found.text, what);
}

function metadataBase(env: AwsEnvironment['env']): string {
  const given = env.AWS_EC2_METADATA_SERVICE_ENDPOINT;
  if (given) return given.replace(/\/+$/, '');
  const isIpv6 = env.AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE?.toLowerCase() === 'ipv6';
  return isIpv6 ? 'http://[fd00:ec2::254]' : 'http://169.254.169.254';
}

async function request(
  { fetch, clock }: EndpointOptions,
  url: string,
  headers: Record<string, string>,
  timeoutMs: number,
  method = 'GET',
): Promise<{ status: number; text: string }> {
  const controller = new AbortController();
  const stop = clock.after(timeoutMs, () => controller.abort(), { keepsAlive: false });
  try {
    const { signal } = controller;
    const response = await fetch(url, { method, headers, redirect: 'error', signal });
    return { status: response.status, text: await response.text() };
  } finally {
    stop();
  }
}

function credentialsIn(text: string, what: string): Credentials {
  const found = parsed(text);
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = found;
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string')
    throw unusable(what, 'gives no credentials');
  const expires = typeof Expiration === 'string' ? Date.parse(Expiration) : NaN;
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    ...(typeof Token === 'string' && { sessionToken: Token }),
    ...(!Number.isNaN(expires) && { expires }),
    from: what,
  };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function unusable(what: string, problem: string, cause?: unknown): UsageError {
  const advice = 'check its role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  return new UsageError(`${what} ${problem}; ${advice}`, 'credentials', { cause });
}
