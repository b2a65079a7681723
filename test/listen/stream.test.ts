import { describe, expect, it } from 'vitest';
import type { RequestRow, StreamMessages } from '../../src/api/listen.js';
import { Journal } from '../../src/listen/journal.js';
import { RequestStore } from '../../src/listen/request-store.js';
import { listening, type Listening } from './listening.js';

interface Message {
  readonly name: keyof StreamMessages;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into any data
  readonly data: any;
}

/** What the page's EventSource sees; stop it by `close`. */
async function listenTo({ url }: Listening) {
  const controller = new AbortController();
  const response = await fetch(`${url}/_evfwd/api/stream`, { signal: controller.signal });
  const messages = read(response.body!);
  return {
    response,
    next: async (): Promise<Message> => (await messages.next()).value!,
    /** Rows, as soon as this many have arrived. */
    rows: async (count: number): Promise<RequestRow[]> => {
      const rows: RequestRow[] = [];
      while (rows.length < count) {
        const { value } = await messages.next();
        if (value?.name === 'rows') rows.push(...(value.data as RequestRow[]));
      }
      return rows;
    },
    close: () => controller.abort(),
  };
}

async function* read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Message, undefined> {
  let text = '';
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name) yield { name: name as Message['name'], data: JSON.parse(data!) };
    }
  }
  return undefined;
}

const post = ({ url }: Listening, body: string) => fetch(url, { method: 'POST', body });

describe('the stream', () => {
  it('begins with the kept requests, and continues with new ones', async () => {
    const listener = await listening();
    await post(listener, '{"type":"track","event":"One","userId":"u"}');
    const stream = await listenTo(listener);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await stream.rows(1)).toMatchObject([{ sequence: 1, type: 'track', name: 'One' }]);
    await post(listener, 'two');
    expect(await stream.rows(1)).toMatchObject([{ sequence: 2, type: null, events: 0 }]);
    stream.close();
  });

  it('begins with an empty list if there are no requests', async () => {
    const stream = await listenTo(await listening());
    expect(await stream.next()).toEqual({ name: 'rows', data: [] });
    stream.close();
  });

  it('publishes a reset, and a changed plan', async () => {
    const listener = await listening();
    const stream = await listenTo(listener);
    await stream.next();
    await fetch(`${listener.url}/_evfwd/api/reset`, { method: 'POST' });
    expect(await stream.next()).toEqual({ name: 'reset', data: {} });
    const plan = { faults: ['reset,first=1'], seed: 2 };
    await fetch(`${listener.url}/_evfwd/api/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-evfwd-token': listener.token },
      body: JSON.stringify(plan),
    });
    expect(await stream.next()).toEqual({ name: 'faults', data: plan });
    stream.close();
  });

  it('misses nothing at full speed, in order', async () => {
    const listener = await listening();
    const streams = await Promise.all([listenTo(listener), listenTo(listener)]);
    const all = Promise.all(streams.map(({ rows }) => rows(2000)));
    for (let i = 0; i < 20; i++) {
      await Promise.all(Array.from({ length: 100 }, () => post(listener, 'x')));
    }
    for (const rows of await all) {
      expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, i) => i + 1));
    }
    for (const stream of streams) stream.close();
  });

  it('delays nobody, and needs no memory, if its reader does not read', async () => {
    const kept = new RequestStore({ requests: 50, bytes: 1e8 });
    const listener = await listening({ journal: new Journal(kept) });
    const stuck = await fetch(`${listener.url}/_evfwd/api/stream`);
    const long = JSON.stringify({ type: 'track', event: 'E'.repeat(190), userId: 'u' });
    for (let i = 0; i < 20; i++) {
      await Promise.all(Array.from({ length: 50 }, () => post(listener, long)));
    }
    const later = await listenTo(listener);
    expect((await later.rows(50)).map(({ sequence }) => sequence)[0]).toBe(951);
    later.close();
    await stuck.body!.cancel();
  });

  it('keeps hostile text inside its JSON', async () => {
    const listener = await listening();
    const stream = await listenTo(listener);
    await stream.next();
    const event = '</script>\n\ndata: {"x":1}\n\nevent: reset\r\n\u001b[2J\u2028';
    await post(listener, JSON.stringify({ type: 'track', event, userId: event }));
    expect(await stream.rows(1)).toMatchObject([{ name: event, user: event }]);
    stream.close();
  });
});
