import type { Step } from './steps.js';

/** A request and its response, sent or received by the traced program over one connection. */
export interface Exchange {
  readonly request: string;
  /** The position of the request's first byte in the trace. */
  readonly requestedAt: number;
  /** The status of the response; undefined while there is none. */
  readonly status: number | undefined;
  /** The position of the response in the trace; Infinity while there is none. */
  readonly respondedAt: number;
}

/** Which end of the connections the traced program is. */
export type Role = 'client' | 'server';

/** The exchanges of HTTP/1.1, in the order of their requests. Requests must not be pipelined. */
export function exchangesOf(steps: readonly Step[], role: Role): Exchange[] {
  const requests = role === 'client' ? 'sent' : 'received';
  const all: OpenExchange[] = [];
  const bySocket = new Map<string, OpenExchange>();
  for (const step of steps) {
    if (step.kind !== 'sent' && step.kind !== 'received') continue;
    let exchange = bySocket.get(step.socket);
    if (step.kind !== requests) {
      if (exchange && exchange.status === undefined) respond(exchange, step.bytes, step.at);
      continue;
    }
    if (!exchange || exchange.status !== undefined) {
      if (!startsRequest(step.bytes)) continue;
      exchange = { pieces: [], requestedAt: step.at, status: undefined, respondedAt: Infinity };
      bySocket.set(step.socket, exchange);
      all.push(exchange);
    }
    exchange.pieces.push(step.bytes);
  }
  return all.map(({ pieces, ...rest }) => ({ ...rest, request: Buffer.concat(pieces).toString() }));
}

interface OpenExchange {
  readonly pieces: Buffer[];
  readonly requestedAt: number;
  status: number | undefined;
  respondedAt: number;
}

function startsRequest(bytes: Buffer): boolean {
  return /^(POST|GET|PUT) /.test(bytes.subarray(0, 5).toString('latin1'));
}

function respond(exchange: OpenExchange, bytes: Buffer, at: number): void {
  const [, status] = /^HTTP\/1\.1 ([2-5]\d\d)/.exec(bytes.subarray(0, 12).toString('latin1')) ?? [];
  if (status === undefined) return;
  exchange.status = Number(status);
  exchange.respondedAt = at;
}
