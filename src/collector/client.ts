import { EventEmitter } from 'node:events';
import type { Outcome } from '../delivery/outcome.js';
import { EvfwdError, exitCodes, QueueFullError } from '../errors.js';
import type { CallFields, CallType, Id } from './call-fields.js';
import { writeCall } from './call.js';
import { clientSettings, type ClientOptions, type ClientSettings } from './client-options.js';
import { log } from './log.js';
import { withId, type SharedOutcome } from './recipient.js';
import { Uploader } from './uploader.js';

export type { ClientOptions } from './client-options.js';

export interface IdentifyCall extends CallFields {
  readonly traits?: object;
}

export interface TrackCall extends CallFields {
  /** The event name. */
  readonly event: string;
  readonly properties?: object;
}

export interface PageCall extends CallFields {
  readonly name?: string;
  readonly category?: string;
  readonly properties?: object;
}

export interface GroupCall extends CallFields {
  readonly groupId: Id;
  readonly traits?: object;
}

export interface AliasCall extends CallFields {
  readonly userId: Id;
  readonly previousId: Id;
}

/** The outcome of one message. */
export interface MessageOutcome extends Outcome {
  readonly messageId: string;
}

export interface ClientEvents {
  /** The collector has accepted the message. */
  delivered: [outcome: MessageOutcome];
  /** The message failed: a final response, or the end of the retry window. `code` and `message` say why. */
  failed: [outcome: MessageOutcome];
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
 * const client = new Client(process.env.WRITE_KEY, { endpoint: 'https://collector.example.com' });
 * client.on('failed', (outcome) => console.error(outcome.messageId, outcome.message));
 * client.track({ userId: 'u1', event: 'Signed Up', properties: { plan: 'pro' } });
 * const { delivered, failed } = await client.close();
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
    const finalStatus = outcome.verdict === 'delivered' ? 'delivered' : 'failed';
    this.#unsettled -= messageIds.length;
    if (finalStatus === 'delivered') this.#delivered += messageIds.length;
    else this.#failed += messageIds.length;
    if (this.listenerCount(finalStatus) === 0) return;
    for (const messageId of messageIds)
      this.#notify(finalStatus, withId(outcome, messageId) as MessageOutcome);
  }

  #notify(finalStatus: keyof ClientEvents, outcome: MessageOutcome): void {
    try {
      this.emit(finalStatus, outcome);
    } catch (error) {
      // Rethrown outside, since an error of a listener must not affect the other messages.
      process.nextTick(() => {
        throw error;
      });
    }
  }
}

function clientClosed(): EvfwdError {
  return new EvfwdError('client_closed', 'the client is closed; create a new one', exitCodes.usage);
}
