import { EventEmitter } from 'node:events';
import type { DeliveredOutcome, FailedOutcome } from '../delivery/public-outcome.js';
import { EvfwdError, exitCodes, QueueFullError } from '../errors.js';
import { rethrowOutside } from '../rethrow-outside.js';
import type { AliasCall, GroupCall, IdentifyCall, PageCall, TrackCall } from './calls.js';
import type { CallFields, CallType } from './call-fields.js';
import { writeCall } from './call.js';
import type { ClientOptions } from './client-options.js';
import { clientSettings, type ClientSettings } from './client-settings.js';
import { log } from './log.js';
import type { SharedOutcome } from '../delivery/outcome.js';
import { Uploader } from './uploader.js';

/** The events of a `Client`: how each message ended, once. */
export interface ClientEvents {
  /** The collector has accepted the message. */
  delivered: [outcome: DeliveredOutcome];
  /** The message failed: a final response, or the end of the retry window. `code` and `message` say why. */
  failed: [outcome: FailedOutcome];
}

/** How the messages of a client ended, over its lifetime. */
export interface ClientCounts {
  readonly delivered: number;
  readonly failed: number;
}

/**
 * Sends analytics calls to a collector, in batches, in the background. Each call is validated and queued
 * at once, and returns its messageId. End with `close()`: the process must not exit before it has
 * resolved.
 *
 * @example
 * import { Client } from 'evfwd';
 *
 * const client = new Client('my-write-key', { endpoint: 'https://collector.example.com' });
 * client.on('failed', ({ messageId, code, message }) => console.error(messageId, code, message));
 * client.track({ userId: 'u1', event: 'Signed Up', properties: { plan: 'pro' } });
 * const { delivered, failed } = await client.close();
 * console.log(`${delivered} delivered, ${failed} failed`);
 */
export class Client extends EventEmitter<ClientEvents> {
  readonly #settings: ClientSettings;
  /** Only the messageId of a message in flight is kept. */
  readonly #uploader: Uploader<string>;
  #unsettled = 0;
  #delivered = 0;
  #failed = 0;
  #closing: Promise<ClientCounts> | undefined;

  /** @throws UsageError that names the option which cannot be used, or is not known. */
  constructor(writeKey: string, options: ClientOptions) {
    super();
    this.#settings = clientSettings(writeKey, options);
    this.#uploader = new Uploader(this.#settings.uploader, {
      onAttempt: () => undefined,
      onWait: () => undefined,
      onEnd: (messageIds, outcome) => this.#settle(messageIds, outcome),
    });
  }

  /**
   * Who a user is, with traits. Returns the messageId, as all calls do.
   * @throws ValidationError when the call breaks a rule (`code` names it), QueueFullError when the
   * queue is full, EvfwdError with code `client_closed` after `close()`.
   */
  identify(call: IdentifyCall): string {
    return this.#enqueue('identify', call);
  }

  /** What a user did. Throws as `identify` does. */
  track(call: TrackCall): string {
    return this.#enqueue('track', call);
  }

  /** A page that a user looked at. Throws as `identify` does. */
  page(call: PageCall): string {
    return this.#enqueue('page', call);
  }

  /** A screen of an app that a user looked at. Throws as `identify` does. */
  screen(call: PageCall): string {
    return this.#enqueue('screen', call);
  }

  /** The group that a user belongs to, with traits of the group. Throws as `identify` does. */
  group(call: GroupCall): string {
    return this.#enqueue('group', call);
  }

  /** Joins two ids of one user. Throws as `identify` does. */
  alias(call: AliasCall): string {
    return this.#enqueue('alias', call);
  }

  /** Sends all queued messages at once; resolves when all were delivered or failed. Never rejects. */
  flush(): Promise<void> {
    return this.#uploader.flush();
  }

  /**
   * Accepts no more calls, sends the rest, and resolves to the counts when all messages have ended, after
   * at most about `retryWindowMs` plus `timeoutMs`. Called again, it returns the same promise.
   */
  close(): Promise<ClientCounts> {
    return (this.#closing ??= this.#finish());
  }

  async #finish(): Promise<ClientCounts> {
    await this.#uploader.flush();
    await this.#uploader.close();
    log('closed, %d delivered, %d failed', this.#delivered, this.#failed);
    return { delivered: this.#delivered, failed: this.#failed };
  }

  #enqueue(type: CallType, call: CallFields): string {
    if (this.#closing) throw clientClosed();
    const { maxQueue, uploader } = this.#settings;
    if (this.#unsettled >= maxQueue) throw new QueueFullError(maxQueue);
    const { messageId, text } = writeCall(type, call, uploader.clock.now());
    this.#unsettled++;
    if (log.enabled) log('queued %s, %d unsettled', type, this.#unsettled);
    this.#uploader.add(messageId, text);
    return messageId;
  }

  #settle(messageIds: readonly string[], outcome: SharedOutcome): void {
    const isDelivered = outcome.verdict === 'delivered';
    this.#unsettled -= messageIds.length;
    if (isDelivered) this.#delivered += messageIds.length;
    else this.#failed += messageIds.length;
    if (this.listenerCount(isDelivered ? 'delivered' : 'failed') === 0) return;
    for (const messageId of messageIds) this.#notify(messageId, outcome);
  }

  #notify(messageId: string, outcome: SharedOutcome): void {
    const { verdict, attempts } = outcome;
    try {
      if (verdict === 'delivered') this.emit(verdict, { verdict, messageId, attempts });
      else {
        const reason = { code: outcome.code!, message: outcome.message! };
        this.emit('failed', { verdict: 'failed', messageId, attempts, ...reason });
      }
    } catch (error) {
      rethrowOutside(error);
    }
  }
}

function clientClosed(): EvfwdError {
  return new EvfwdError('client_closed', 'the client is closed; create a new one', exitCodes.usage);
}
