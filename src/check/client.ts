import { Agent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as requestHttps } from 'node:https';
import type { SecureContext } from 'node:tls';
import { systemClock } from '../clock.js';
import { hostOf } from '../http/url.js';
import { secureContext } from '../http/tls.js';
import { explainError } from './client-error.js';
import type { Exchange, ProbeRequest, ProbeResponse } from './exchange.js';
import type { CheckSettings } from './settings.js';
import { ownDelayMs, transferBody } from './transfer.js';

/** What came back of a request. */
export type Received = Pick<
  Exchange,
  'response' | 'error' | 'errorCode' | 'durationMs' | 'isReused'
>;

/** Some servers set cookies of many kilobytes. */
const maxHeaderBytes = 65_536;

/** Sends single requests, each on a connection of its own unless an agent is passed. */
export class ProbeClient {
  readonly #settings: Pick<CheckSettings, 'url' | 'ca' | 'clientCertificate'>;
  readonly #single: Agent;
  /** Of all agents. */
  #context: SecureContext | undefined;

  constructor(settings: Pick<CheckSettings, 'url' | 'ca' | 'clientCertificate'>) {
    this.#settings = settings;
    this.#single = this.agent({ keepAlive: false });
  }

  /** For requests that share connections; destroy it afterwards. */
  agent(options: { keepAlive: boolean; maxSockets?: number }): Agent {
    if (this.#settings.url.protocol === 'http:') return new Agent(options);
    this.#context ??= secureContext(this.#settings);
    return new TlsAgent({ ...options, rejectUnauthorized: true, secureContext: this.#context });
  }

  /**
   * Never rejects. The body of a response is read up to 16 KiB and for 5 s.
   * @param timeoutMs until the status line
   * @param signal closes the connection
   */
  async send(
    probe: ProbeRequest,
    timeoutMs: number,
    agent = this.#single,
    signal?: AbortSignal,
  ): Promise<Received> {
    let openedAt = systemClock.monotonic();
    const elapsed = () => systemClock.monotonic() - openedAt;
    const request = this.#open(probe, agent);
    const interim: number[] = [];
    request.on('information', ({ statusCode }) => interim.push(statusCode));
    onOpen(request, probe, () => (openedAt = systemClock.monotonic()));
    const abort = (): void => void request.destroy(aborted());
    signal?.addEventListener('abort', abort);
    const cancelTimeout = systemClock.after(timeoutMs + ownDelayMs(probe), () =>
      request.destroy(timedOut()),
    );
    try {
      transferBody(request, probe);
      const message = await responseTo(request);
      const durationMs = elapsed();
      cancelTimeout();
      const { reusedSocket: isReused } = request;
      return { response: await responseOf(message, interim), durationMs, isReused };
    } catch (error) {
      const { code, text } = explainError(error, timeoutMs, this.#settings);
      const { reusedSocket: isReused } = request;
      return { error: text, errorCode: code, durationMs: elapsed(), isReused };
    } finally {
      cancelTimeout();
      signal?.removeEventListener('abort', abort);
      if (agent === this.#single) request.destroy();
    }
  }

  close(): void {
    this.#single.destroy();
  }

  #open({ method, url, headers, body, transfer }: ProbeRequest, agent: Agent): ClientRequest {
    const target = new URL(url);
    const { protocol, port, host, pathname, search } = target;
    const hasLength = transfer !== 'chunked' && (body.length > 0 || method === 'POST');
    const all = [
      ...(headers.some(([name]) => name.toLowerCase() === 'host') ? [] : [['Host', host]]),
      ...headers,
      ...(hasLength ? [['Content-Length', String(body.length)]] : []),
      ...(transfer === 'continue' ? [['Expect', '100-continue']] : []),
    ].flat();
    const send = protocol === 'https:' ? requestHttps : requestHttp;
    return send({
      agent,
      method,
      host: hostOf(target),
      ...(port !== '' && { port }),
      path: pathname + search,
      headers: all,
      maxHeaderSize: maxHeaderBytes,
    });
  }
}

function aborted(): Error {
  return Object.assign(new Error('interrupted'), { code: 'ABORT_ERR' });
}

function timedOut(): Error {
  return Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' });
}

/** The time of a response counts from when its connection is open. */
function onOpen(request: ClientRequest, { url }: ProbeRequest, opened: () => void): void {
  request.once('socket', (socket) => {
    if (request.reusedSocket) opened();
    else socket.once(url.startsWith('https:') ? 'secureConnect' : 'connect', opened);
  });
}

/** An endpoint that leaves HTTP for another protocol has responded, too. */
function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // It stays, since a connection can fail after its response as well.
    request.on('error', reject);
    request.once('response', resolve);
    request.once('upgrade', (message, socket) => {
      socket.destroy();
      resolve(message);
    });
  });
}

async function responseOf(message: IncomingMessage, interim: number[]): Promise<ProbeResponse> {
  const { statusCode = 0, rawHeaders } = message;
  return { status: statusCode, headers: rawHeaders, interim, ...(await readBody(message)) };
}

/** Senders read little of a response body, and not for long (docs/checks.md, `answer.small`). */
export const maxBodyBytes = 16 * 1024;
const maxBodyMs = 5_000;

/** Reads a body to its end, or until it is too large or takes too long. Never rejects. */
function readBody(message: IncomingMessage): Promise<Pick<ProbeResponse, 'body' | 'bodyEnd'>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (bodyEnd: ProbeResponse['bodyEnd']): void => {
      cancel();
      resolve({ body: Buffer.concat(chunks), bodyEnd });
      if (bodyEnd !== 'complete') message.destroy();
    };
    const cancel = systemClock.after(maxBodyMs, () => end('endless'));
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBodyBytes) end('too-large');
    });
    message.once('end', () => end(message.complete ? 'complete' : 'broken'));
    message.on('error', () => end('broken'));
    message.once('close', () => end('broken'));
  });
}
