import type { Clock } from '../clock.js';
import { proxyInUse } from '../http/open-connector.js';
import { withoutQuery } from '../http/url.js';
import { isObject } from '../json/is-object.js';
import type { Authorization, TokenProblem } from './authorization.js';
import { describeResult } from './describe.js';
import type { OAuth2Settings } from './oauth2-settings.js';
import { sleep } from './sleep.js';
import { nameOfError } from './verdict.js';

export interface TokenResponse {
  readonly status: number;
  /** At most 64 KiB; undefined for a longer one. */
  readonly text: string | undefined;
}

/**
 * Sends a form to a token endpoint.
 * @throws an error with a code of Node or undici when there is no response
 */
export type PostForm = (
  url: string,
  headers: Readonly<Record<string, string>>,
  form: string,
) => Promise<TokenResponse>;

export interface OAuth2Options {
  readonly settings: OAuth2Settings;
  readonly post: PostForm;
  /** What `post` sends through, for messages. Default: none. */
  readonly proxy?: string | undefined;
  readonly clock: Clock;
}

/** Of a token that does not say when it ends; a 401 ends it earlier. */
const defaultLifeMs = 60 * 60_000;
/** A token is fetched anew so long before its end, or a tenth of its life before. */
const maxMarginMs = 60_000;
/** A failure is returned to all callers for this time, so that a token endpoint that is down gets one request a second. */
const failureHoldsMs = 1_000;
/** At most one new token in this time because of a 401, where an endpoint refuses one after the other. */
const refusalHoldsMs = 1_000;

interface Token {
  readonly line: string;
  /** By `Clock.monotonic()`. */
  readonly refreshAt: number;
  readonly endsAt: number;
}

interface TokenFailure {
  readonly problem: TokenProblem;
  /** By `Clock.monotonic()`. */
  readonly at: number;
}

/** Fetches a token once at a time, anew before it ends, and after it was refused. */
export class OAuth2Token implements Authorization {
  readonly #options: OAuth2Options;
  /** Masked in whatever it answers. */
  readonly #ownSecrets: readonly string[];
  #token: Token | undefined;
  /** The one before may still be echoed. */
  #lastLine: string | undefined;
  #failure: TokenFailure | undefined;
  #fetching: Promise<TokenProblem | undefined> | undefined;
  /** When the last one was fetched because of a refusal; by `Clock.monotonic()`. */
  #replacedAt = -Infinity;
  /** Whether the token was refused so soon after the one before that another has to wait. */
  #isDoubtful = false;

  constructor(options: OAuth2Options) {
    this.#options = options;
    const { clientId, clientSecret } = options.settings;
    this.#ownSecrets = [clientSecret, basicOf(clientId, clientSecret)];
  }

  get line(): string | undefined {
    const token = this.#token;
    const now = this.#options.clock.monotonic();
    if (!token || now >= token.endsAt) return undefined;
    if (now >= token.refreshAt) void this.fetch();
    return token.line;
  }

  get lineAfterRefusal(): string | undefined {
    return this.#isDoubtful ? undefined : this.line;
  }

  fetch(): Promise<TokenProblem | undefined> {
    const failure = this.#failure;
    if (failure && this.#options.clock.monotonic() - failure.at < failureHoldsMs)
      return Promise.resolve(failure.problem);
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  refused(line: string): void {
    // Others may have been in flight with it.
    if (this.#token?.line !== line) return;
    const now = this.#options.clock.monotonic();
    this.#isDoubtful = now - this.#replacedAt < refusalHoldsMs;
    if (this.#isDoubtful) return;
    this.#replacedAt = now;
    this.#lastLine = line;
    this.#token = undefined;
  }

  secrets(): readonly string[] {
    const lines = [this.#token?.line, this.#lastLine].flatMap((line) => line ?? []);
    return [...this.#ownSecrets, ...lines.map(tokenOf)];
  }

  async #fetch(): Promise<TokenProblem | undefined> {
    const { settings, post, proxy, clock } = this.#options;
    const { headers, form } = requestOf(settings);
    if (this.#isDoubtful) {
      await sleep(this.#replacedAt + refusalHoldsMs - clock.monotonic(), clock);
      this.#replacedAt = clock.monotonic();
    }
    const sentAt = clock.monotonic();
    const found = await post(settings.tokenUrl, headers, form).then(tokenIn, (error: unknown) =>
      unreachable(error, proxyInUse(new URL(settings.tokenUrl), proxy)),
    );
    if (typeof found === 'string') {
      const reason = `the token endpoint ${withoutQuery(settings.tokenUrl)} ${found}`;
      const problem = { reason, isInvalidClient: found === invalidClient };
      this.#failure = { problem, at: clock.monotonic() };
      return problem;
    }
    this.#failure = undefined;
    this.#isDoubtful = false;
    this.#lastLine = this.#token?.line ?? this.#lastLine;
    const { token, lifeMs } = found;
    const marginMs = Math.min(maxMarginMs, lifeMs / 10);
    const endsAt = sentAt + lifeMs;
    this.#token = {
      line: `Authorization: Bearer ${token}\r\n`,
      ...{ refreshAt: endsAt - marginMs, endsAt },
    };
    return undefined;
  }
}

const invalidClient = 'refuses clientId or clientSecret (invalid_client); check them';

function requestOf({
  clientId,
  clientSecret,
  scope,
  audience,
  authMethod = 'basic',
}: OAuth2Settings): { headers: Record<string, string>; form: string } {
  const isBasic = authMethod === 'basic';
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(!isBasic && { client_id: clientId, client_secret: clientSecret }),
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
  });
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/json',
    ...(isBasic && { Authorization: `Basic ${basicOf(clientId, clientSecret)}` }),
  };
  return { headers, form: form.toString() };
}

/** Each part is encoded as in a form first: RFC 6749, section 2.3.1. */
function basicOf(clientId: string, clientSecret: string): string {
  const pair = [clientId, clientSecret].map((text) =>
    new URLSearchParams({ t: text }).toString().slice(2),
  );
  return Buffer.from(pair.join(':')).toString('base64');
}

interface FoundToken {
  readonly token: string;
  readonly lifeMs: number;
}

/** The token, or what is wrong with the response. */
function tokenIn({ status, text }: TokenResponse): FoundToken | string {
  const body = text === undefined ? undefined : parsed(text);
  if (status < 200 || status > 299) return refusalText(status, body?.error);
  if (!body) return 'sent no JSON object; check tokenUrl';
  const { access_token: token, token_type: type, expires_in: seconds } = body;
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return 'sent no access_token';
  if (type !== undefined && !isBearer(type)) return 'sent a token that is no bearer token';
  return { token, lifeMs: lifeOf(seconds) };
}

function refusalText(status: number, error: unknown): string {
  if (error === 'invalid_client') return invalidClient;
  const code = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
  return `returned HTTP ${status}${code}`;
}

function isBearer(type: unknown): boolean {
  return typeof type === 'string' && type.toLowerCase() === 'bearer';
}

/** Some servers send the seconds as a text. */
function lifeOf(seconds: unknown): number {
  const number = typeof seconds === 'string' && seconds !== '' ? Number(seconds) : seconds;
  if (typeof number !== 'number' || !(number > 0) || number === Infinity) return defaultLifeMs;
  return number * 1_000;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param proxy which may be what has failed */
function unreachable(error: unknown, proxy: string | undefined): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (name === 'TimeoutError') return 'does not respond';
  return `cannot be reached${proxy === undefined ? '' : ' through its proxy'}${causeText(error, code)}`;
}

function causeText(error: unknown, code: unknown): string {
  const named = nameOfError(error);
  if (named === 'tls') return `: its certificate is not trusted (${String(code)})`;
  if (named !== 'protocol') return `: ${describeResult({ status: null, error: named })}`;
  return typeof code === 'string' ? ` (${code})` : '';
}

function tokenOf(line: string): string {
  return line.slice('Authorization: Bearer '.length).trimEnd();
}
