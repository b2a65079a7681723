import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptResult, EndpointDeliveryState, Outcome } from '../../src/delivery/outcome.js';
import type { Event } from '../../src/events/event.js';
import { eventFrom } from '../../src/events/given.js';
import { defaultBatch, type BatchSettings } from '../../src/webhook/batch-settings.js';
import { BatchTarget, type BatchTargetOptions } from '../../src/webhook/batch-target.js';
import { EventBatch } from '../../src/webhook/event-batch.js';
import { afterEachTest } from '../helpers/after-each.js';
import { startReceiver, type Receiver, type ReceiverResponse } from '../helpers/receiver.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const opened: BatchTarget[] = [];
const receivers: Receiver[] = [];

afterEachTest(async () => {
  await Promise.all(opened.splice(0).map((target) => target.close()));
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

type Responder = (ids: readonly string[], index: number) => number | undefined;

/** A target of receivers that answer by the messageIds of a batch. */
async function scene(
  responders: readonly Responder[],
  batch: Partial<BatchSettings>,
  options: Partial<BatchTargetOptions> = {},
) {
  const started = await Promise.all(
    responders.map((respond) =>
      startReceiver(({ body }, index): ReceiverResponse | undefined => {
        const status = respond(idsOf(body), index);
        return status === undefined ? undefined : { status };
      }),
    ),
  );
  receivers.push(...started);
  const target = new BatchTarget({
    endpoints: started.map(({ url }) => ({ url })),
    batch: { ...defaultBatch, ...batch },
    retryWindowMs: 0,
    ...options,
  });
  opened.push(target);
  return { target, receivers: started, receiver: started[0]! };
}

function send(
  target: BatchTarget,
  messageId: string,
  more: {
    endpointDeliveries?: readonly EndpointDeliveryState[];
    onEnded?: () => void;
    properties?: object;
    type?: string;
  } = {},
): Promise<Outcome> {
  const { properties = {}, type = 'track', ...rest } = more;
  const event = eventFrom({ type, userId: 'u1', event: 'E', messageId, properties }) as Event;
  const stamp = { messageId, writesMessageId: false };
  return new Promise((resolve) => target.send({ event, stamp, ...rest }, resolve));
}

function sendAll(target: BatchTarget, count: number): Promise<Outcome>[] {
  return Array.from({ length: count }, (_, index) => send(target, `m${index}`));
}

function idsOf(body: Buffer): string[] {
  return (JSON.parse(body.toString()) as { messageId: string }[]).map(({ messageId }) => messageId);
}

function idsReceived({ requests }: Receiver): string[][] {
  return requests.map(({ body }) => idsOf(body));
}

function shortOf({ verdict, attempts, messageId }: Outcome): string {
  return `${messageId} ${verdict} ${attempts.map(({ status }) => status).join(' ')}`;
}

const ok: Responder = () => 200;

describe('a target with batches', () => {
  it('posts one array for as many events as a batch may have, and the rest when it drains', async () => {
    const { target, receiver } = await scene([ok], { size: 3, waitMs: 3_600_000 });
    const sent = sendAll(target, 7);
    await target.drain();
    expect(idsReceived(receiver).map((ids) => ids.length)).toEqual([3, 3, 1]);
    expect(idsReceived(receiver).flat()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6']);
    expect((await Promise.all(sent)).map(shortOf)).toEqual(
      Array.from({ length: 7 }, (_, index) => `m${index} delivered 200`),
    );
  });

  it('posts what it has after the longest wait of its first event', async () => {
    const clock = new VirtualClock();
    const { target, receiver } = await scene([ok], { size: 100, waitMs: 1_000 }, { clock });
    const sent = sendAll(target, 2);
    clock.advance(999);
    expect(receiver.requests).toHaveLength(0);
    clock.advance(1);
    await Promise.all(sent);
    expect(idsReceived(receiver)).toEqual([['m0', 'm1']]);
  });

  it('ends a batch before it is larger than it may be, and sends a larger event alone', async () => {
    const { target, receiver } = await scene([ok], { maxBytes: 200, waitMs: 3_600_000 });
    const small = { properties: {} };
    const large = { properties: { text: 'x'.repeat(400) } };
    const sent = [small, small, small, large, small].map((more, index) =>
      send(target, `m${index}`, more),
    );
    await target.drain();
    await Promise.all(sent);
    expect(idsReceived(receiver)).toEqual([['m0', 'm1'], ['m2'], ['m3'], ['m4']]);
    const sizes = receiver.requests.map(({ body }) => body.length);
    expect(sizes.filter((bytes) => bytes > 200)).toEqual([sizes[2]]);
  });

  it('signs the array as a whole, with an id that a retry has again', async () => {
    const clock = new VirtualClock();
    const { target, receiver } = await scene(
      [(_ids, index) => (index === 0 ? 503 : 200)],
      { size: 2 },
      {
        clock,
        sharedSecret: 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=',
        scheme: 'standard-webhooks',
        retryWindowMs: 3_600_000,
        random: () => 0,
      },
    );
    const sent = sendAll(target, 2);
    await receiver.atLeast(1);
    await clock.timers(1);
    clock.advance(clock.waits[0]!);
    await Promise.all(sent);
    const [first, second] = receiver.requests;
    expect(second!.body.equals(first!.body)).toBe(true);
    const { 'webhook-id': id, 'webhook-timestamp': at } = second!.headers;
    expect(id).toBe(first!.headers['webhook-id']);
    const key = Buffer.from('c2VjcmV0LXNlY3JldC1zZWNyZXQ=', 'base64');
    const content = `${String(id)}.${String(at)}.${second!.body.toString()}`;
    const expected = createHmac('sha256', key).update(content).digest('base64');
    expect(second!.headers['webhook-signature']).toBe(`v1,${expected}`);
  });

  it('halves a batch that is too large, until an event alone fails', async () => {
    const most = 2;
    const respond: Responder = (ids) => (ids.length > most || ids.includes('m4') ? 413 : 200);
    const { target, receiver } = await scene([respond], { size: 8, waitMs: 3_600_000 });
    const outcomes = await Promise.all(sendAll(target, 8));
    expect(outcomes.map(({ verdict }) => verdict)).toEqual([
      ...['delivered', 'delivered', 'delivered', 'delivered'],
      ...['failed', 'delivered', 'delivered', 'delivered'],
    ]);
    expect(outcomes[4]!.code).toBe('status_413');
    expect(outcomes[4]!.attempts.map(({ status }) => status)).toEqual([413, 413, 413, 413]);
    const delivered = idsReceived(receiver).filter(
      (ids) => ids.length <= most && !ids.includes('m4'),
    );
    expect(delivered.flat().sort()).toEqual(['m0', 'm1', 'm2', 'm3', 'm5', 'm6', 'm7']);
  });

  it('sends halves to the URL that refused the whole, and not to one that has it', async () => {
    const { target, receivers: both } = await scene(
      [(ids) => (ids.length > 1 ? 413 : 200), ok],
      { size: 2 },
      { allUrls: true },
    );
    const outcomes = await Promise.all(sendAll(target, 2));
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(['delivered', 'delivered']);
    expect(both.map(idsReceived)).toEqual([[['m0', 'm1'], ['m0'], ['m1']], [['m0', 'm1']]]);
  });

  it('hands each event of a batch back with the same state, and puts them into one batch again', async () => {
    const { target, receiver } = await scene(
      [(_ids, index) => (index === 0 ? 503 : 200)],
      { size: 100, waitMs: 3_600_000 },
      { returnsRetries: true, retryWindowMs: 3_600_000 },
    );
    const first = sendAll(target, 3);
    await target.drain();
    const states = (await Promise.all(first)).map(({ retry }) => retry!.endpointDeliveries);
    expect(new Set(states.map((each) => JSON.stringify(each))).size).toBe(1);
    const due = states.map((each) => each.map((state) => ({ ...state, dueAt: 0 })));
    const again = due.map((endpointDeliveries, index) =>
      send(target, `m${index}`, { endpointDeliveries }),
    );
    const fresh = send(target, 'm9');
    await target.drain();
    const outcomes = await Promise.all([...again, fresh]);
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(Array(4).fill('delivered'));
    expect(
      idsReceived(receiver)
        .slice(1)
        .map((ids) => ids.join())
        .sort(),
    ).toEqual(['m0,m1,m2', 'm9']);
    expect(outcomes[0].attempts.map(({ attempt }) => attempt)).toEqual([2]);
  });

  it('sends halves again each as it was, though both were to be retried at the same time', async () => {
    const { target, receiver } = await scene(
      [(ids, index) => (ids.length > 2 ? 413 : index < 3 ? 503 : 200)],
      { size: 4, waitMs: 3_600_000 },
      { returnsRetries: true, retryWindowMs: 3_600_000, random: () => 0.5 },
    );
    const first = await Promise.all(sendAll(target, 4));
    const firstAt = Date.now();
    const again = first.map(({ retry }, index) => {
      const states = retry!.endpointDeliveries.map((state) => ({ ...state, firstAt, dueAt: 0 }));
      return send(target, `m${index}`, { endpointDeliveries: states });
    });
    const outcomes = await Promise.all(again);
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(Array(4).fill('delivered'));
    expect(idsReceived(receiver)).toEqual([
      ['m0', 'm1', 'm2', 'm3'],
      ...[
        ['m0', 'm1'],
        ['m2', 'm3'],
      ],
      ...[
        ['m0', 'm1'],
        ['m2', 'm3'],
      ],
    ]);
    const bodies = receiver.requests.map(({ body }) => body.toString());
    expect(bodies.slice(3)).toEqual(bodies.slice(1, 3));
  });

  it('does not let a retry wait for others as long as a first attempt', async () => {
    const clock = new VirtualClock();
    const { target, receiver } = await scene(
      [ok],
      { size: 100, waitMs: 3_600_000 },
      { clock, returnsRetries: true, retryWindowMs: 60_000 },
    );
    const state = {
      attempts: 1,
      firstAt: clock.now(),
      status: 503,
      error: null,
      dueAt: clock.now(),
    };
    const sent = send(target, 'm0', { endpointDeliveries: [state] });
    clock.advance(100);
    expect((await sent).verdict).toBe('delivered');
    expect(idsReceived(receiver)).toEqual([['m0']]);
  });

  it('hands halves back that it cannot send, since the URL is paused meanwhile', async () => {
    const receiver = await startReceiver(() => {
      target.applyNotice(0, { kind: 'paused', untilMs: Date.now() + 60_000 });
      return { status: 413 };
    });
    receivers.push(receiver);
    const target: BatchTarget = new BatchTarget({
      endpoints: [{ url: receiver.url }],
      batch: { ...defaultBatch, size: 8 },
      ...{ returnsRetries: true, retryWindowMs: 3_600_000 },
    });
    opened.push(target);
    const outcomes = await Promise.all(sendAll(target, 8));
    expect(outcomes.map(({ verdict, retry }) => [verdict, retry !== undefined])).toEqual(
      Array(8).fill(['pending', true]),
    );
    expect(receiver.requests).toHaveLength(1);
    expect(new Set(outcomes.map(({ retry }) => retry!.endpointDeliveries[0]!.batch)).size).toBe(2);
  });

  it('posts what it has where no others come before some have ended', async () => {
    const { target, receiver } = await scene([ok], { size: 100, waitMs: 3_600_000 });
    const sent = sendAll(target, 3);
    target.flush();
    await Promise.all(sent);
    expect(idsReceived(receiver)).toEqual([['m0', 'm1', 'm2']]);
  });

  it('ends what waits for a batch as pending at an interruption, and each event once', async () => {
    const { target, receiver } = await scene(
      [ok],
      { size: 3, waitMs: 3_600_000 },
      { returnsRetries: true, retryWindowMs: 3_600_000 },
    );
    const ended: string[] = [];
    const sent = ['a', 'b'].map((id) => send(target, id, { onEnded: () => ended.push(id) }));
    target.interrupt();
    const late = send(target, 'c');
    await target.drain();
    const outcomes = await Promise.all([...sent, late]);
    expect(outcomes.map(({ verdict, code }) => [verdict, code])).toEqual(
      Array(3).fill(['pending', 'interrupted']),
    );
    expect(ended).toEqual(['a', 'b']);
    expect(receiver.requests).toHaveLength(0);
  });

  it('reports an attempt for each event of its batch', async () => {
    const attempts: [string, number | null][] = [];
    const onAttempt = (result: AttemptResult, messageId: string): void =>
      void attempts.push([messageId, result.status]);
    const { target } = await scene([() => 404], { size: 2 }, { onAttempt });
    await Promise.all(sendAll(target, 2));
    expect(attempts).toEqual([
      ['m0', 404],
      ['m1', 404],
    ]);
  });

  it('keeps events apart that go to different URLs', async () => {
    const { target, receivers: both } = await scene([ok, ok], { waitMs: 3_600_000 });
    const endpoints = both.map(({ url }, index) => ({
      url,
      ...(index === 1 && { types: ['track' as const] }),
    }));
    const filtered = new BatchTarget({ endpoints, batch: defaultBatch, allUrls: true });
    opened.push(filtered, target);
    const sent = [
      send(filtered, 'm0'),
      send(filtered, 'm1', { type: 'page' }),
      send(filtered, 'm2'),
    ];
    await filtered.drain();
    await Promise.all(sent);
    expect(
      both.map((one) =>
        idsReceived(one)
          .map((ids) => ids.join())
          .sort(),
      ),
    ).toEqual([['m0,m2', 'm1'], ['m0,m2']]);
  });

  it('counts events against a rate', async () => {
    const clock = new VirtualClock();
    const { receiver } = await scene([ok], {});
    const target = new BatchTarget({
      endpoints: [{ url: receiver.url, rate: 10 }],
      batch: { ...defaultBatch, size: 5 },
      clock,
    });
    opened.push(target);
    const sent = sendAll(target, 15);
    await Promise.all(sent.slice(0, 5));
    await clock.timers(1);
    clock.advance(450);
    expect(receiver.requests).toHaveLength(1);
    clock.advance(50);
    await Promise.all(sent.slice(5, 10));
    await clock.timers(1);
    clock.advance(500);
    await Promise.all(sent);
    expect(receiver.requests).toHaveLength(3);
  });

  it('has no more events in hand than fit into its connections and one batch', async () => {
    const held: (() => void)[] = [];
    const receiver = await startReceiver(
      () => new Promise((resolve) => held.push(() => resolve({ status: 200 }))),
    );
    receivers.push(receiver);
    const target = new BatchTarget({
      endpoints: [{ url: receiver.url }],
      batch: { ...defaultBatch, size: 2, waitMs: 0 },
      concurrency: 2,
    });
    opened.push(target);
    const sent: Promise<Outcome>[] = [];
    while (!target.room()) sent.push(send(target, `m${sent.length}`));
    expect(sent).toHaveLength(6);
    for (let answered = 0; answered < 3; answered++) {
      await receiver.atLeast(answered + 1);
      held[answered]!();
    }
    await Promise.all(sent);
    expect(target.room()).toBeUndefined();
  });
});

describe('a batch of events', () => {
  it('is the array of their texts, byte for byte, whole or in halves', () => {
    fc.assert(
      fc.property(fc.array(fc.json(), { minLength: 2, maxLength: 40 }), (texts) => {
        const batch = batchOf(texts);
        expect(batch.body().toString()).toBe(`[${texts.join(',')}]`);
        const halves = batch.halves([], []);
        const middle = Math.ceil(texts.length / 2);
        expect(halves.map((half) => half.body().toString())).toEqual([
          `[${texts.slice(0, middle).join(',')}]`,
          `[${texts.slice(middle).join(',')}]`,
        ]);
      }),
    );
  });

  it('has an id that depends on which events it has, and in which order', () => {
    const ids = [['1', '2'], ['2', '1'], ['1']].map((texts) => batchOf(texts).id);
    expect(new Set(ids).size).toBe(3);
    expect(batchOf(['1', '2']).id).toBe(ids[0]);
    const hash = createHash('sha256').update('m1\nm2\n').digest('hex').slice(0, 32);
    expect(ids[0]).toBe(`batch_${hash}`);
  });
});

function batchOf(texts: readonly string[]): EventBatch {
  const batch = new EventBatch({ wanted: undefined, endpointDeliveries: undefined });
  for (const text of texts) {
    const event = eventFrom({ type: 'track', userId: 'u', event: 'E' }) as Event;
    const stamp = { messageId: `m${text}`, writesMessageId: false };
    batch.add({ outgoing: { event, stamp }, done: () => undefined }, Buffer.from(text));
  }
  return batch;
}
