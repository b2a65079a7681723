import { contentTypeOf } from '../http/header-rules.js';
import { requestSigner, type SigningSettings } from '../sign/request-signer.js';
import { version } from '../version.js';
import { checkEvent, type CheckEvent, type Variation } from './events.js';
import type { Exchange, ProbeRequest } from './exchange.js';
import type { SendOptions, Session } from './session.js';
import type { CheckSettings } from './settings.js';

/** How a request differs from a valid one. */
export interface SigningOptions {
  /** Time of the signature, in milliseconds since 1970. Default: now. */
  readonly nowMs?: number;
  /** Default: the scheme of the run with its newest secret. */
  readonly signing?: SigningSettings;
  /** Default: the URL of the run. */
  readonly url?: string;
}

/** A request, or what makes it when its turn has come. */
export type Sendable = ProbeRequest | (() => ProbeRequest);

/** Makes and sends the requests of one check. */
export class Prober {
  readonly #session: Session;
  readonly #checkId: string;
  #events = 0;

  constructor(session: Session, checkId: string) {
    this.#session = session;
    this.#checkId = checkId;
  }

  get settings(): CheckSettings {
    return this.#session.settings;
  }

  get session(): Session {
    return this.#session;
  }

  /** How requests are signed: the scheme of the run with its newest secret. Undefined without a secret. */
  get signing(): SigningSettings | undefined {
    const { signing } = this.settings;
    return signing && { scheme: signing.scheme, secrets: signing.secrets.slice(0, 1) };
  }

  /** An id that was not used before: `evfwd-check-<run>-<check>`, the second one with `-2`, … */
  nextId(): string {
    const suffix = ++this.#events === 1 ? '' : `-${this.#events}`;
    // A scheme that signs the id may send another one in place of an id with a dot.
    const check = this.settings.signing?.scheme.id
      ? this.#checkId.replaceAll('.', '_')
      : this.#checkId;
    return `evfwd-check-${this.#session.runId}-${check}${suffix}`;
  }

  /** An event with an id of its own. */
  event(variation?: Variation): CheckEvent {
    return checkEvent(this.settings.sender, this.nextId(), variation);
  }

  /** The same event with something else in it: its id stays. */
  variant({ messageId }: CheckEvent, variation: Variation): CheckEvent {
    return checkEvent(this.settings.sender, messageId, variation);
  }

  /** A POST of this event, signed if there is a secret. It is not marked as valid. */
  request(event: CheckEvent, options: SigningOptions = {}): ProbeRequest {
    const { body, messageId } = event;
    const headers = fixedHeaders(this.settings, event);
    const { nowMs = Date.now(), signing = this.signing, url = this.#urlOf(event) } = options;
    const signed =
      signing &&
      requestSigner(signing, 'the secret').sign({
        body,
        id: messageId,
        nowMs,
        method: 'POST',
        url,
        contentType: contentTypeOf(headers.flat()),
      });
    return {
      method: 'POST',
      url: signed?.url ?? url,
      headers: [...headers, ...(signed?.headers ?? [])],
      body,
      isValid: false,
    };
  }

  /** A request that is no event: unsigned and without a body. */
  bareRequest(method: string, headers: readonly (readonly [string, string])[] = []): ProbeRequest {
    const own = fixedHeaders(this.settings);
    const url = this.settings.url.href;
    return { method, url, headers: [...own, ...headers], body: Buffer.alloc(0), isValid: false };
  }

  /** A request that a receiver has to accept. */
  validRequest(event = this.event(), options?: SigningOptions): ProbeRequest {
    return { ...this.request(event, options), isValid: true };
  }

  /**
   * Sends a request when the rate allows it, and again when a limiter refused it.
   * @param request a function if its signature has a time: it may have to wait for minutes
   * @throws SessionEnded when nothing more is sent
   */
  async send(request: Sendable, options: SendOptions = {}): Promise<Exchange> {
    const make = typeof request === 'function' ? request : () => request;
    const { isPaced, isRepeated = true, ...others } = options;
    const first = await this.#session.send(this.#checkId, make, { ...others, isPaced });
    if (!isRepeated || !this.#session.limit.hasRefused(first)) return first;
    return this.#sendAgain(make, others);
  }

  /** Sends a valid event. */
  sendValid(variation?: Variation): Promise<Exchange> {
    return this.sendEvent(this.event(variation));
  }

  /** Sends an event as a valid one. */
  sendEvent(event: CheckEvent, options?: SigningOptions): Promise<Exchange> {
    return this.send(() => this.validRequest(event, options));
  }

  #urlOf({ path }: CheckEvent): string {
    const { url } = this.settings;
    return path === undefined ? url.href : url.origin + path;
  }

  /**
   * A receiver may give the answer of a limiter to this very request, for example to a forged one. It is
   * taken for its own answer when it comes again, twice, although a valid event was let through just before.
   */
  async #sendAgain(make: () => ProbeRequest, options: SendOptions): Promise<Exchange> {
    const { limit } = this.#session;
    let exchange = await this.#session.send(this.#checkId, make, options);
    for (let others = 0; limit.hasRefused(exchange); others++) {
      if (others === 2) {
        limit.dismiss(exchange);
        break;
      }
      await this.#sendUntilPassed();
      exchange = await this.#session.send(this.#checkId, make, options);
    }
    return exchange;
  }

  /** A valid event, until it is let through, or the session ends. */
  async #sendUntilPassed(): Promise<void> {
    const event = this.event();
    const make = (): ProbeRequest => this.validRequest(event);
    for (;;) {
      const exchange = await this.#session.send(this.#checkId, make);
      if (!this.#session.limit.hasRefused(exchange)) return;
    }
  }
}

type Headers = ProbeRequest['headers'];

/**
 * The headers of a request besides those of its signature. Those of an event's sender replace ours, and
 * static ones replace both.
 */
function fixedHeaders({ headers }: CheckSettings, event?: CheckEvent): Headers {
  const ours: Headers = [
    ['User-Agent', `evfwd/${version}`],
    ...(event ? [['Content-Type', event.contentType] as const] : []),
  ];
  return replaced(replaced(ours, event?.headers ?? []), headers);
}

/** The second headers, and those of the first that they do not replace. */
function replaced(first: Headers, second: Headers): Headers {
  const names = new Set(second.map(([name]) => name.toLowerCase()));
  return [...first.filter(([name]) => !names.has(name.toLowerCase())), ...second];
}
