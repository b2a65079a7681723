import { describe, expect, it } from 'vitest';
import { exchangesOf } from './exchanges.js';
import type { SocketStep } from './steps.js';

const step = (at: number, kind: SocketStep['kind'], socket: string, text: string): SocketStep => ({
  at,
  kind,
  socket,
  bytes: Buffer.from(text),
});

describe('the exchanges of a trace', () => {
  const steps = [
    step(1, 'sent', 'a', 'POST / HTTP/1.1\r\n\r\n'),
    step(2, 'sent', 'b', 'POST / HTTP/1.1\r\n'),
    step(3, 'sent', 'b', '\r\nbody'),
    step(4, 'received', 'b', 'HTTP/1.1 503 Service Unavailable\r\n'),
    step(5, 'received', 'b', '\r\n'),
    step(6, 'received', 'a', 'HTTP/1.1 100 Continue\r\n\r\n'),
    step(7, 'received', 'a', 'HTTP/1.1 200 OK\r\n\r\n'),
    step(8, 'sent', 'a', 'POST /again'),
    step(9, 'received', 'c', 'GET / HTTP/1.1\r\n\r\n'),
    step(10, 'sent', 'c', 'HTTP/1.1 200 OK\r\n\r\n'),
  ];

  it('are requests with their response, by connection', () => {
    expect(exchangesOf(steps, 'client')).toEqual([
      { request: 'POST / HTTP/1.1\r\n\r\n', requestedAt: 1, status: 200, respondedAt: 7 },
      { request: 'POST / HTTP/1.1\r\n\r\nbody', requestedAt: 2, status: 503, respondedAt: 4 },
      { request: 'POST /again', requestedAt: 8, status: undefined, respondedAt: Infinity },
    ]);
  });

  it('are distinguished from those of the other role', () => {
    expect(exchangesOf(steps, 'server')).toEqual([
      { request: 'GET / HTTP/1.1\r\n\r\n', requestedAt: 9, status: 200, respondedAt: 10 },
    ]);
  });
});
