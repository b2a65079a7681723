import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { BodyReader, type BodyEnd } from '../../src/web/body-reader.js';
import { TurnBudget } from '../../src/web/turn-budget.js';

function read(reader: BodyReader, request: IncomingMessage): Promise<BodyEnd> {
  return new Promise((resolve) => reader.read(request, resolve));
}

async function bytesOf(end: Promise<BodyEnd>): Promise<Buffer> {
  const { problem, ...rest } = await end;
  expect(problem).toBeUndefined();
  return (rest as { body: Buffer }).body;
}

/** Lets streams continue, in the same turn of the event loop. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** A request with these headers, whose body the test writes. */
function upload(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

it('assembles a body, however it is split', async () => {
  const reader = new BodyReader({ bodyBytes: 10_000, totalBytes: 100_000 });
  for (const size of [1, 7, 4096, 10_000]) {
    const request = upload();
    const body = read(reader, request);
    const bytes = Buffer.from('abcdefghij'.repeat(1000));
    for (let at = 0; at < bytes.length; at += size) request.write(bytes.subarray(at, at + size));
    request.end();
    expect((await bytesOf(body)).equals(bytes)).toBe(true);
    expect(reader.heldBytes).toBe(0);
  }
});

it('allocates little more than the size of a body of single bytes', async () => {
  const reader = new BodyReader({ bodyBytes: 10_000, totalBytes: 100_000 });
  const request = upload();
  const body = read(reader, request);
  for (let i = 0; i < 5_000; i++) request.write('x');
  while (request.readableLength > 0) await new Promise(setImmediate);
  expect(reader.heldBytes).toBeLessThanOrEqual(10_000);
  request.end();
  expect((await bytesOf(body)).length).toBe(5_000);
});

it('refuses a large body, and reads its rest so that the client sees the response', async () => {
  const reader = new BodyReader({ bodyBytes: 10, totalBytes: 100 });
  for (const request of [upload({ 'content-length': '11' }), upload()]) {
    const body = read(reader, request);
    request.end('12345678901');
    expect(await body).toEqual({ problem: 'too_large', bytes: 11 });
    expect(request.readableFlowing).toBe(true);
    expect(reader.heldBytes).toBe(0);
  }
});

it('refuses the oldest body when the total limit is reached', async () => {
  const reader = new BodyReader({ bodyBytes: 10, totalBytes: 25 });
  const [silent, oldest, second, third] = [upload(), upload(), upload(), upload()];
  const bodies = [silent, oldest, second, third].map((request) => read(reader, request));
  for (const request of [oldest, second]) {
    request.write('12345');
    await new Promise(setImmediate);
    request.write('67890');
  }
  third.end('1234567890');
  expect(await bodies[1]).toEqual({ problem: 'busy', bytes: 10 });
  expect((await bytesOf(bodies[3]!)).length).toBe(10);
  second.end();
  silent.end('1234567890');
  expect((await bytesOf(bodies[2]!)).length).toBe(10);
  expect((await bytesOf(bodies[0]!)).length).toBe(10);
  expect(reader.heldBytes).toBe(0);
});

it('does not refuse a body that has come whole in one chunk', async () => {
  const reader = new BodyReader({ bodyBytes: 10, totalBytes: 15 });
  const whole = upload({ 'content-length': '10' });
  const body = read(reader, whole);
  whole.write('1234567890');
  await new Promise(setImmediate);
  expect(reader.heldBytes).toBe(0);
  const others = [upload(), upload()];
  const ends = others.map((request) => read(reader, request));
  for (const request of others) {
    request.write('12345678');
    await new Promise(setImmediate);
  }
  whole.end();
  expect((await bytesOf(body)).toString()).toBe('1234567890');
  expect(await ends[0]).toEqual({ problem: 'busy', bytes: 8 });
  others[1]!.end();
  expect((await bytesOf(ends[1]!)).length).toBe(8);
  expect(reader.heldBytes).toBe(0);
});

it('says when the first byte has come, and is done once', async () => {
  const reader = new BodyReader({ bodyBytes: 10 });
  for (const size of [2, 8]) {
    const request = upload();
    const calls: string[] = [];
    reader.read(
      request,
      ({ problem }) => calls.push(problem ?? 'whole'),
      () => calls.push('begins'),
    );
    for (let i = 0; i < 3; i++) request.write('x'.repeat(size));
    request.end();
    await new Promise((resolve) => request.once('close', resolve));
    expect(calls).toEqual(['begins', size === 2 ? 'whole' : 'too_large']);
  }
});

it('reads one after the other, however many come', async () => {
  const reader = new BodyReader({ bodyBytes: 10, totalBytes: 15 });
  for (let i = 0; i < 5; i++) {
    const request = upload();
    const body = read(reader, request);
    request.end('1234567890');
    expect((await bytesOf(body)).length).toBe(10);
  }
  expect(reader.heldBytes).toBe(0);
});

it('frees the memory of an aborted body', async () => {
  const reader = new BodyReader({ bodyBytes: 10, totalBytes: 15 });
  for (const error of [undefined, new Error('reset')]) {
    const request = upload();
    const body = read(reader, request);
    request.write('12345');
    request.destroy(error);
    expect(await body).toEqual({ problem: 'aborted', bytes: 5 });
    expect(reader.heldBytes).toBe(0);
  }
});

describe('a complete body that waits for its turn', () => {
  /** Two bodies: the first takes all of a turn, so the second waits. */
  async function waiting(totalBytes: number) {
    const reader = new BodyReader({ bodyBytes: 20, totalBytes, turns: new TurnBudget(10) });
    const requests = [upload(), upload({ 'content-length': '10' })];
    const ends: BodyEnd[] = [];
    for (const request of requests) {
      reader.read(request, (end) => ends.push(end));
      request.end('1234567890');
    }
    // Streams end in this turn of the event loop.
    while (requests.some((request) => !request.readableEnded)) await nextTick();
    return { reader, requests, ends };
  }

  it('is held until then, also when its client has disconnected', async () => {
    const { reader, requests, ends } = await waiting(100);
    expect([ends.length, reader.heldBytes]).toEqual([1, 10]);
    requests[1]!.destroy();
    while (ends.length < 2) await new Promise(setImmediate);
    expect(ends[1]).toEqual({ body: Buffer.from('1234567890') });
    expect(reader.heldBytes).toBe(0);
  });

  it('is refused as busy when held bodies exceed the total limit', async () => {
    const { reader, ends } = await waiting(15);
    const other = upload();
    const body = read(reader, other);
    other.write('123456');
    while (ends.length < 2) await nextTick();
    expect(ends[1]).toEqual({ problem: 'busy', bytes: 10 });
    expect(reader.heldBytes).toBe(6);
    other.end();
    expect((await bytesOf(body)).length).toBe(6);
    expect([ends.length, reader.heldBytes]).toEqual([2, 0]);
  });
});
