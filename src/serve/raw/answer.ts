import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingRequest } from '../../receive/incoming-request.js';
import { endInOneWrite } from '../../web/end-in-one-write.js';
import type { Refusal } from '../collect/refusal.js';
import type { Reply } from '../collect/reply.js';
import type { RawResponses } from './source.js';

const nothing: Buffer = Buffer.alloc(0);
const success = Buffer.from('{"success":true}');

/** The response to a request that is stored: that of the first rule whose path fits, else the usual one. */
export function answerTo(
  { status, rules }: RawResponses,
  request: Pick<IncomingRequest, 'path' | 'headers' | 'body'>,
): Reply {
  const rule = rules.find(({ isFor }) => isFor(request.path));
  if (!rule) return answer(status, 'application/json', hasBody(status) ? success : nothing);
  const { body } = rule;
  return answer(rule.status, rule.type, Buffer.isBuffer(body) ? body : body(request));
}

/** Without what a client of the collection API needs: senders show it to people. */
export function answerOfRefusal({ status, code, message, headers }: Refusal): Reply {
  const body = Buffer.from(JSON.stringify({ error: { code, message } }));
  const refused = answer(status, 'application/json', body);
  return { ...refused, headers: { ...headers, ...refused.headers } };
}

export function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Reply,
): void {
  response.writeHead(status, headers);
  if (request.method === 'HEAD' || !hasBody(status)) response.end();
  else endInOneWrite(response, body);
}

function answer(status: number, type: string, body: Buffer): Reply {
  if (!hasBody(status)) return { status, headers: {}, body };
  const length = { 'Content-Length': String(body.length) };
  return { status, headers: body.length > 0 ? { 'Content-Type': type, ...length } : length, body };
}

function hasBody(status: number): boolean {
  return status !== 204;
}
