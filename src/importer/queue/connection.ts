import type { Redis, ChainableCommander } from 'ioredis';
import { EvfwdError, StateError, exitCodes } from '../../errors.js';
import type { Clock } from '../../clock.js';
import {
  isAborted,
  isLoginError,
  isReplyError,
  refusalOf,
  unexpectedReply,
} from './reply-error.js';
import { defineScripts, runScript } from './redis-client.js';
import { scripts, type Script } from './scripts/index.js';
import { connectFailure } from './connect-failure.js';
import { Troubles, type QueueTrouble } from './troubles.js';

export interface ConnectionOptions {
  readonly client: Redis;
  /** The URL as it may be printed. */
  readonly shown: string;
  readonly clock: Clock;
  readonly onTrouble: (trouble: QueueTrouble) => void;
  /** See `TroublesOptions`. */
  readonly patienceMs?: number | undefined;
}

const repeatRefusedMs = 1_000;
/** After so long without a response, the server is asked whether it is there, and has a second for it. */
const doubtAfterMs = 4_000;
const silentAfterMs = 5_000;
/** A server that responds at all does so within this time. */
const quitWithinMs = 500;

/** The connection that commands go through: what the server refuses for a time is repeated. */
export class QueueConnection {
  readonly client: Redis;
  readonly shown: string;
  readonly #options: ConnectionOptions;
  readonly #troubles: Troubles;
  #lastError: Error | undefined;
  /** Why nothing is waited for any more. */
  #givenUp: Error | undefined;
  #isClosed = false;
  #isAsking = false;
  readonly #pending = new Set<(error: Error) => void>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    ({ client: this.client, shown: this.shown } = options);
    const onGivenUp = (error: Error): void => this.#giveUp(error);
    this.#troubles = new Troubles({ ...options, onGivenUp });
    defineScripts(this.client, scripts);
    this.client.on('error', (error: Error) => this.#onError(error));
    this.client.on('close', () => this.#noteLost());
    this.client.on('ready', () => this.#noteRestored());
  }

  /** Repeats `operation`, which must be safe to repeat, for as long as the server refuses it. */
  async run<T>(operation: () => Promise<T>): Promise<T> {
    let wasRefused = false;
    for (;;) {
      try {
        const result = await this.#attempt(operation);
        if (wasRefused) this.#troubles.accepted();
        return result;
      } catch (error) {
        const reason = refusalOf(error);
        if (this.#isClosed || (reason === undefined && !isAborted(error)))
          throw this.#inWords(error);
        if (reason === undefined) continue;
        wasRefused = true;
        this.#troubles.refused(reason);
        await this.#wait(repeatRefusedMs);
      }
    }
  }

  /** As `run`, but a server that refuses is an error: for what is of no use later. @throws StateError */
  async runForPlan<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await this.runUnlessRefused(operation);
    } catch (error) {
      const reason = refusalOf(error);
      if (reason === undefined) throw error;
      throw new StateError(this.#cannotPlan(reason), { cause: error });
    }
  }

  /** As `run`, but throws when the server refuses, and tells nobody: for what another time will do. */
  async runUnlessRefused<T>(operation: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#attempt(operation);
      } catch (error) {
        if (refusalOf(error) !== undefined) throw error;
        if (this.#isClosed || !isAborted(error)) throw this.#inWords(error);
      }
    }
  }

  script(script: Script, keys: readonly string[], args: readonly (string | number | Buffer)[]) {
    return this.run(() => runScript(this.client, script, keys, args));
  }

  /** As `script`, with buffers in place of texts in the result. */
  scriptBuffers(script: Script, keys: readonly string[], args: readonly number[]) {
    return this.run(() => runScript(this.client, script, keys, args, 'Buffer'));
  }

  scriptForPlan(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
  ) {
    return this.runForPlan(() => runScript(this.client, script, keys, args));
  }

  /** The results of several commands in one round trip. */
  pipeline(fill: (pipeline: ChainableCommander) => void): Promise<unknown[]> {
    return this.run(() => resultsOf(this.client.pipeline(), fill));
  }

  /** The same, with nothing in between. */
  transaction(fill: (pipeline: ChainableCommander) => void): Promise<unknown[]> {
    return this.run(() => resultsOf(this.client.multi(), fill));
  }

  /** Whether the server responds in time, and refuses nothing that waits to be repeated. */
  async isAvailable(withinMs: number): Promise<boolean> {
    const responds = this.client.ping().then(
      () => true,
      () => false,
    );
    const tooLate = this.#atMost(withinMs).then(() => false);
    return (await Promise.race([responds, tooLate])) && !this.#troubles.isRefused;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#troubles.stop();
    // A lost connection would keep QUIT until it is there again, and a server that hangs for ever.
    if (this.client.status === 'ready')
      await Promise.race([this.#quit(), this.#atMost(quitWithinMs)]);
    this.client.disconnect();
    // ioredis keeps commands of a lost connection, and never answers them once it was closed.
    this.#rejectAll(new Error('closed'));
  }

  async #attempt<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#givenUp) throw this.#givenUp;
    let end: (error: Error) => void;
    const ended = new Promise<never>((_resolve, reject) => this.#pending.add((end = reject)));
    const doubt = (): void => void this.#ask();
    const cancel = this.#options.clock.after(doubtAfterMs, doubt, { keepsAlive: false });
    try {
      return await Promise.race([operation(), ended]);
    } finally {
      cancel();
      this.#pending.delete(end!);
    }
  }

  /** An operation may take long; a server that hangs does not respond to anything. */
  async #ask(): Promise<void> {
    if (this.#isAsking || this.#isClosed) return;
    this.#isAsking = true;
    const tooLate = (): void => this.#troubles.silent(silentAfterMs);
    const { clock } = this.#options;
    const cancel = clock.after(silentAfterMs - doubtAfterMs, tooLate, { keepsAlive: false });
    const isThere = await this.client.ping().then(
      () => true,
      (error: unknown) => isReplyError(error),
    );
    cancel();
    this.#isAsking = false;
    if (isThere && this.client.status === 'ready') this.#troubles.restored();
  }

  /** Commands that were sent before the connection was lost would wait for ever: ioredis cannot log in. */
  #onError(error: Error): void {
    this.#lastError = error;
    if (isLoginError(error)) this.#rejectAll(error);
  }

  #giveUp(error: Error): void {
    this.#givenUp = error;
    this.#rejectAll(error);
  }

  #rejectAll(error: Error): void {
    for (const reject of this.#pending) reject(error);
  }

  #noteLost(): void {
    if (this.#isClosed) return;
    this.#troubles.lost(this.#lastError ? connectFailure(this.#lastError) : '');
  }

  #noteRestored(): void {
    this.#lastError = undefined;
    this.#troubles.restored();
  }

  async #quit(): Promise<void> {
    await this.client.quit().catch(() => undefined);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(ms, resolve));
  }

  /** A limit for what has a connection that keeps the process alive; without one, nothing is left to wait for. */
  #atMost(ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => clock.after(ms, resolve, { keepsAlive: false }));
  }

  #cannotPlan(reason: string): string {
    return `cannot write the plan: ${this.shown} refuses commands: ${reason}; run the same command again when that is fixed`;
  }

  #inWords(error: unknown): unknown {
    if (isReplyError(error)) return unexpectedReply(this.shown, error);
    if (!this.#isClosed || error instanceof EvfwdError) return error;
    const message = `the connection to ${this.shown} was closed`;
    return new EvfwdError('queue_closed', message, exitCodes.state, { cause: error });
  }
}

async function resultsOf(
  pipeline: ChainableCommander,
  fill: (pipeline: ChainableCommander) => void,
): Promise<unknown[]> {
  fill(pipeline);
  const results = (await pipeline.exec()) ?? [];
  return results.map(([error, value]) => {
    if (error) throw error;
    return value;
  });
}
