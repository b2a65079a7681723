import type { IncomingMessage, ServerResponse } from 'node:http';
import { readableByAnyone, readableBy } from './cross-origin.js';
import { endInOneWrite } from '../../web/end-in-one-write.js';
import type { Refusal } from './refusal.js';

/** A response that can be written as it is, any number of times. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function replyOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer = Buffer.alloc(0),
): Reply {
  return { status, headers: { ...readableByAnyone, ...headers }, body };
}

export function jsonReply(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = Buffer.from(text);
  const content = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(body.length),
  };
  return replyOf(status, { ...headers, ...content }, body);
}

/** Exactly 200 with an object: clients in several languages treat anything else as a failure. */
export const success = jsonReply(200, '{"success":true}');

export function refusalReply({ status, body, headers }: Refusal): Reply {
  return jsonReply(status, body, headers);
}

/** Writes the reply so that the page that has sent the request, if any, may read it. */
export function writeReply(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const { origin } = request.headers;
  const headers =
    origin === undefined ? reply.headers : { ...reply.headers, ...readableBy(origin) };
  response.writeHead(reply.status, headers);
  if (request.method === 'HEAD') response.end();
  else endInOneWrite(response, reply.body);
}
