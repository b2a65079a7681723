import {
  Agent,
  request as plainRequest,
  type AgentOptions,
  type ClientRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { secureContext } from '../../http/tls.js';
import { askApp, NoResponse, type AppResponse } from './ask-app.js';

export interface AppConnectionsOptions {
  readonly isTls: boolean;
  /** Certificates to trust in addition, as PEM texts. */
  readonly ca?: readonly string[] | undefined;
  /** How many are kept while they are idle. */
  readonly maxIdle: number;
}

/** Below the 5 s after which common apps close idle connections. */
const idleMs = 4_000;

/** Some apps set cookies of many kilobytes. */
const maxHeaderBytes = 65_536;

/** The connections to one app. */
export class AppConnections {
  readonly #request: (options: RequestOptions) => ClientRequest;
  /** Connections that serve one request after the other. */
  readonly #kept: Agent;
  /** Connections of one request each. */
  readonly #single: Agent;

  constructor({ isTls, ca, maxIdle }: AppConnectionsOptions) {
    const trust = isTls && { rejectUnauthorized: true, secureContext: secureContext({ ca }) };
    const newAgent = (options: AgentOptions): Agent =>
      trust ? new TlsAgent({ ...options, ...trust }) : new Agent(options);
    this.#request = isTls ? tlsRequest : plainRequest;
    this.#kept = newAgent({ keepAlive: true, maxFreeSockets: maxIdle, timeout: idleMs });
    this.#single = newAgent({ keepAlive: false });
  }

  /**
   * Sends a request. If its connection has died since it was used before, a new one takes its place; a
   * request that was begun is never sent again, since the app may have got it.
   * @throws NoResponse if there is no response, or the signal is aborted before it
   */
  async send(options: RequestOptions, body: Buffer): Promise<AppResponse> {
    const all = { ...options, maxHeaderSize: maxHeaderBytes };
    try {
      return await askApp(this.#request({ ...all, agent: this.#kept }), body);
    } catch (error) {
      const wasDead = error instanceof NoResponse && error.wasDead;
      if (!wasDead || options.signal?.aborted) throw error;
      return askApp(this.#request({ ...all, agent: this.#single }), body);
    }
  }

  close(): void {
    this.#kept.destroy();
    this.#single.destroy();
  }
}
