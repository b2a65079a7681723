import type { IncomingMessage, ServerResponse } from 'node:http';
import { startEndpoint as startServer, type Arrived } from './endpoint.js';

/** A request as an endpoint sees it. */
export interface Hook {
  readonly body: Buffer;
  readonly url: string;
  /** The value of a header; empty if it is not there. */
  readonly header: (name: string) => string;
  readonly incoming: IncomingMessage;
}

/** A status, and a body. */
export type Answer = number | readonly [status: number, body: string];

/** Answers each request; an error is answered 500. */
export type Endpoint = (hook: Hook) => Answer | Promise<Answer>;

/** Starts an endpoint on loopback; it is closed after the test. */
export async function startEndpoint(endpoint: Endpoint): Promise<string> {
  const { url } = await startServer(async (request, response) =>
    respond(endpoint, request, response),
  );
  return url;
}

async function respond(
  endpoint: Endpoint,
  { message, body }: Arrived,
  response: ServerResponse,
): Promise<void> {
  const header = (name: string) => [message.headers[name.toLowerCase()] ?? ''].flat()[0]!;
  const url = `http://${message.headers.host}${message.url}`;
  const answer = await answerOf(endpoint, { body, url, header, incoming: message });
  const [status, text] = typeof answer === 'number' ? [answer, ''] : answer;
  response.writeHead(status).end(text);
}

async function answerOf(endpoint: Endpoint, hook: Hook): Promise<Answer> {
  try {
    return await endpoint(hook);
  } catch {
    return [500, 'Internal Server Error'];
  }
}
