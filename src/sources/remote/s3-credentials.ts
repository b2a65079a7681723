import { UsageError } from '../../errors.js';
import {
  containerCredentials,
  instanceCredentials,
  type EndpointOptions,
} from './aws-endpoints.js';
import type { Credentials } from './aws-credentials.js';
import { profileInWords, profileName, readProfile } from './aws-profiles.js';

/** As AWS's SDKs do, so that a long request does not end with old ones. */
const refreshBeforeMs = 5 * 60_000;

/** Finds credentials in the order of AWS's own tools, once, and again before they expire. */
export class CredentialSource {
  readonly #options: EndpointOptions;
  #found: Promise<Credentials | undefined> | undefined;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  /**
   * Undefined if there are none at all: requests are anonymous then.
   *
   * @throws UsageError if there are some that cannot be used
   */
  async get(): Promise<Credentials | undefined> {
    const held = await (this.#found ??= this.#find());
    if (held?.expires === undefined || held.expires - this.#now > refreshBeforeMs) return held;
    this.#found = this.#refreshed(held);
    return this.#found;
  }

  /** A service that fails shortly before old ones expire may work again in time. */
  async #refreshed(held: Credentials): Promise<Credentials | undefined> {
    const fresh = await this.#find().catch((error: unknown) => {
      if (isExpired(held, this.#now)) throw error;
      return held;
    });
    if (fresh && isExpired(fresh, this.#now)) throw expired(fresh);
    return fresh;
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  async #find(): Promise<Credentials | undefined> {
    const found = await findCredentials(this.#options);
    if (found && isExpired(found, this.#now)) throw expired(found);
    return found;
  }
}

function isExpired({ expires = Infinity }: Credentials, now: number): boolean {
  return expires <= now;
}

function expired({ from, expires = 0 }: Credentials): UsageError {
  const at = new Date(expires).toISOString();
  return new UsageError(
    `the AWS credentials of ${from} expired at ${at}; renew them`,
    'credentials',
  );
}

async function findCredentials(options: EndpointOptions): Promise<Credentials | undefined> {
  return (
    environmentCredentials(options) ??
    (await profileCredentials(options)) ??
    (await containerCredentials(options)) ??
    (await instanceCredentials(options))
  );
}

function environmentCredentials({ env }: EndpointOptions): Credentials | undefined {
  const accessKeyId = env.AWS_ACCESS_KEY_ID;
  const secretAccessKey = env.AWS_SECRET_ACCESS_KEY;
  if (!accessKeyId && !secretAccessKey) return undefined;
  if (!accessKeyId || !secretAccessKey) {
    const missing = accessKeyId ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_ACCESS_KEY_ID';
    throw new UsageError(`${missing} is not set; set both or none`, 'credentials');
  }
  const expires = Date.parse(env.AWS_CREDENTIAL_EXPIRATION ?? '');
  return {
    accessKeyId,
    secretAccessKey,
    ...(env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN }),
    ...(!Number.isNaN(expires) && { expires }),
    from: 'the environment',
  };
}

/** Settings of a profile that stand for keys which other programs fetch. */
const foreign = ['credential_process', 'role_arn', 'sso_session', 'sso_start_url', 'login_session'];

async function profileCredentials(options: EndpointOptions): Promise<Credentials | undefined> {
  const { env } = options;
  const what = profileInWords(options);
  const isNamed = Boolean(env.AWS_PROFILE);
  const profile = await readProfile(options);
  if (!profile && isNamed)
    throw new UsageError(`${what} is in no shared file of AWS; check AWS_PROFILE`, 'credentials');
  const accessKeyId = profile?.get('aws_access_key_id');
  const secretAccessKey = profile?.get('aws_secret_access_key');
  if (accessKeyId && secretAccessKey) {
    const sessionToken = profile?.get('aws_session_token');
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }), from: what };
  }
  const other = foreign.find((name) => profile?.has(name));
  if (other !== undefined)
    throw unsupported(`${what} has ${other}, which evfwd cannot use`, options);
  if (isNamed || accessKeyId || secretAccessKey)
    throw new UsageError(
      `${what} has no aws_access_key_id with an aws_secret_access_key; add them`,
      'credentials',
    );
  // Asked before profiles by AWS's tools, which would assume the role: nobody wants another identity, or none.
  if (env.AWS_WEB_IDENTITY_TOKEN_FILE)
    throw unsupported('AWS_WEB_IDENTITY_TOKEN_FILE is set, which evfwd cannot use', options);
  return undefined;
}

function unsupported(problem: string, options: EndpointOptions): UsageError {
  const name = profileName(options);
  const profile = name !== 'default' && /^[\w.-]+$/.test(name) ? ` --profile ${name}` : '';
  const command = `eval "$(aws configure export-credentials${profile} --format env)"`;
  return new UsageError(`${problem}; export keys first: ${command}`, 'credentials');
}
