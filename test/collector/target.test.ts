import { afterEach, describe, expect, it } from 'vitest';
import { CollectorTarget, type CollectorTargetOptions } from '../../src/collector/target.js';
import type { EndpointNotice } from '../../src/delivery/endpoint-notice.js';
import type { AttemptResult, Outcome } from '../../src/delivery/outcome.js';
import { UsageError } from '../../src/errors.js';
import { isProblem } from '../../src/events/event.js';
import { parseEvent } from '../../src/events/parse.js';
import { stampEvent } from '../../src/events/stamp.js';
import type { Outgoing } from '../../src/delivery/target.js';
import { version } from '../../src/version.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { startCollector, type Answer, type Collector } from './server.js';

const stamped = '"timestamp":"2026-11-20T08:30:00Z","messageId"';
const open: (Collector | CollectorTarget)[] = [];

afterEach(async () => {
  await Promise.all(
    open
      .splice(0)
      .reverse()
      .map((one) => one.close()),
  );
});

interface Scene {
  readonly collector: Collector;
  readonly target: CollectorTarget;
  readonly clock: VirtualClock;
  readonly attempts: [number | string | null, string][];
  /** How each event sent by `send` ended, in the order of sending. */
  readonly outcomes: Outcome[];
  readonly send: (text: string) => Outgoing;
}

async function scene(
  response?: (request: number) => Answer | Promise<Answer>,
  options: Partial<CollectorTargetOptions> = {},
): Promise<Scene> {
  const collector = await startCollector(response);
  const clock = new VirtualClock();
  const attempts: Scene['attempts'] = [];
  const onAttempt = (result: AttemptResult, messageId: string) =>
    void attempts.push([result.status ?? result.error, messageId]);
  const target = new CollectorTarget({
    ...{ writeKey: 'key', endpoint: collector.url, clock, onAttempt, random: () => 0.5 },
    ...options,
  });
  open.push(collector, target);
  const outcomes: Outcome[] = [];
  let sent = 0;
  const send = (text: string) => {
    const outgoing = outgoingOf(text);
    const place = sent++;
    target.send(outgoing, (outcome) => (outcomes[place] = outcome));
    return outgoing;
  };
  return { collector, target, clock, attempts, outcomes, send };
}

function outgoingOf(text: string): Outgoing {
  const bytes = Buffer.from(text);
  const event = parseEvent(bytes, { file: 'f.ndjson', line: 1, offset: 0, length: bytes.length });
  if (isProblem(event)) throw new Error(event.message);
  return { event, stamp: stampEvent(event, { ids: 'keep', seed: '', now: 0 }) };
}

function page(messageId: string, padding = 0): string {
  return `{"type":"page","userId":"u",${stamped}:"${messageId}","properties":{"p":"${'x'.repeat(padding)}"}}`;
}

describe('what a collector gets', () => {
  it('is one POST to /v1/batch with the write key as user name and the events as they are', async () => {
    const { collector, target, send, outcomes } = await scene();
    const event = `{"type":"track","userId":"u","event":"e",${stamped}:"m1","x":[9007199254740993,1e400,-0]}`;
    send(event.replace('{', '{"sentAt":"2020-01-01T00:00:00Z",'));
    send(page('m2'));
    await target.drain();
    const [{ path, headers, body }] = collector.received as [(typeof collector.received)[0]];
    expect(path).toBe('/v1/batch');
    expect(headers.authorization).toBe('Basic a2V5Og==');
    expect(headers['user-agent']).toBe(`evfwd/${version}`);
    expect(headers['content-type']).toBe('application/json');
    expect(body.toString()).toBe(
      `{"batch":[${event},${page('m2')}],"sentAt":"2026-11-20T08:30:00.000Z",` +
        `"context":{"library":{"name":"evfwd","version":"${version}"}}}`,
    );
    expect(collector.received.length).toBe(1);
    expect(outcomes.map(({ verdict, messageId }) => [verdict, messageId])).toEqual([
      ['delivered', 'm1'],
      ['delivered', 'm2'],
    ]);
  });

  it('comes in batches of flushAt, at most 512,000 bytes each', async () => {
    const { collector, target, send } = await scene(undefined, { flushAt: 30, concurrency: 1 });
    for (let i = 0; i < 40; i++) send(page(`m${i}`, 30_000));
    for (let i = 40; i < 75; i++) send(page(`m${i}`));
    await target.drain();
    const sizes = collector.received.map(({ body }) => JSON.parse(body.toString()).batch.length);
    expect(sizes).toEqual([17, 17, 30, 11]);
    for (const { body } of collector.received) expect(body.length).toBeLessThanOrEqual(512_000);
    expect(collector.calls().map(({ messageId }) => messageId)).toEqual(
      Array.from({ length: 75 }, (_, i) => `m${i}`),
    );
  });

  it('is sent without a full batch once the source has paused for a second', async () => {
    const { collector, clock, send } = await scene();
    send(page('m1'));
    expect(clock.waits).toEqual([1_000]);
    clock.advance(999);
    send(page('m2'));
    clock.advance(1);
    await collector.arrived(1);
    expect(collector.calls().length).toBe(2);
  });
});

describe('events that a collector does not take', () => {
  it.each<[string, string]>([
    ['delete_not_collected', '{"type":"delete","userId":"u"}'],
    ['too_large', `{"type":"page","userId":"u","properties":{"p":"${'x'.repeat(32_700)}"}}`],
  ])('end as rejected at once: %s', async (code, text) => {
    const { target, collector, send, outcomes } = await scene();
    const { stamp } = send(text);
    expect(outcomes[0]).toMatchObject({
      verdict: 'rejected',
      code,
      messageId: stamp.messageId,
      attempts: [],
    });
    await target.drain();
    expect(collector.received).toEqual([]);
  });
});

describe('a batch that is not taken', () => {
  it.each([400, 401, 404, 413, 302])(
    'fails for good at %i, each event with the try',
    async (status) => {
      const { target, send, outcomes, attempts, collector } = await scene(() => status);
      send(page('m1'));
      send(page('m2'));
      await target.drain();
      expect(collector.received.length).toBe(1);
      expect(attempts).toEqual([
        [status, 'm1'],
        [status, 'm2'],
      ]);
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ verdict: 'failed', code: `status_${status}` });
        expect(outcome.attempts).toMatchObject([{ status, attempt: 1 }]);
      }
    },
  );

  it.each([408, 425, 429, 500, 503])('goes out again after %i, byte for byte', async (status) => {
    const { target, clock, collector, send, outcomes } = await scene((n) =>
      n === 0 ? status : 200,
    );
    const outgoing = send('{"type":"page","userId":"u"}');
    const drained = target.drain();
    await clock.timers(1);
    expect(clock.waits).toEqual([5_000]);
    clock.advance(5_000);
    await drained;
    expect(collector.received[1]!.body).toEqual(collector.received[0]!.body);
    expect(outcomes[0]).toMatchObject({
      verdict: 'delivered',
      messageId: outgoing.stamp.messageId,
    });
    expect(outcomes[0]!.attempts.map((attempt) => attempt.status)).toEqual([status, 200]);
  });

  it('waits as long as Retry-After says, and so do the batches behind it', async () => {
    const busy = { status: 429, headers: { 'retry-after': '60' } };
    const { target, clock, collector, send } = await scene((n) => (n === 0 ? busy : 200), {
      flushAt: 1,
      concurrency: 1,
    });
    send(page('m1'));
    send(page('m2'));
    const drained = target.drain();
    await clock.timers(2);
    expect(clock.waits).toEqual([60_000, 60_000]);
    expect(collector.received.length).toBe(1);
    clock.advance(60_000);
    await drained;
    expect(
      collector
        .calls()
        .map(({ messageId }) => messageId)
        .sort(),
    ).toEqual(['m1', 'm1', 'm2']);
  });

  it('is given up when the window is over', async () => {
    const { target, send, outcomes } = await scene(() => 503, { retryWindowMs: 0 });
    send(page('m1'));
    await target.drain();
    expect(outcomes[0]).toMatchObject({ verdict: 'failed', code: 'status_503' });
    expect(outcomes[0]!.message).toContain('HTTP 503 Service Unavailable (1 attempt)');
  });

  it.each([
    [undefined, 'status_410', 2],
    [true, 'gone', 1],
  ])(
    'is all that a 410 ends, unless it ends the collector (disablesOnGone: %s)',
    async (disablesOnGone, second, received) => {
      const { target, collector, send, outcomes } = await scene(() => 410, {
        flushAt: 1,
        ...(disablesOnGone && { disablesOnGone }),
      });
      for (const id of ['m1', 'm2']) {
        send(page(id));
        await target.drain();
      }
      expect(outcomes.map(({ code }) => code)).toEqual(['status_410', second]);
      expect(collector.received.length).toBe(received);
    },
  );

  it('is retried when nobody listens', async () => {
    const { target, clock, collector, send, outcomes } = await scene(undefined, {
      retryWindowMs: 20_000,
    });
    await collector.close();
    open.splice(0, 1);
    send(page('m1'));
    const drained = target.drain();
    await clock.runUntil(drained);
    expect(outcomes[0]).toMatchObject({ verdict: 'failed', code: 'refused' });
  });

  it('does not hold on to the file while it waits for a retry', async () => {
    const { target, clock, send } = await scene((n) => (n === 0 ? 503 : 200));
    const outgoing = send(page('m1', 10_000));
    const { bytes } = outgoing.event;
    const drained = target.drain();
    await clock.timers(1);
    expect(outgoing.event.bytes.equals(bytes)).toBe(true);
    expect(outgoing.event.bytes.buffer).not.toBe(bytes.buffer);
    clock.advance(5_000);
    await drained;
  });
});

describe('what a response says about the collector as a whole', () => {
  const busy = { status: 429, headers: { 'retry-after': '60' } };

  it.each<[Answer, (now: number) => EndpointNotice]>([
    [410, () => ({ kind: 'gone' })],
    [busy, (now) => ({ kind: 'paused', untilMs: now + 60_000 })],
  ])('is told to others: %j', async (response, noticeAt) => {
    const told: [number, EndpointNotice][] = [];
    const { target, clock, send } = await scene(() => response, {
      ...{
        returnsRetries: true,
        disablesOnGone: true,
        onNotice: (queue, notice) => void told.push([queue, notice]),
      },
    });
    send(page('m1'));
    await target.drain();
    expect(told).toEqual([[0, noticeAt(clock.now())]]);
  });

  it('is heeded when others tell that it is gone, and not told again', async () => {
    const told: EndpointNotice[] = [];
    const { target, collector, send, outcomes } = await scene(undefined, {
      disablesOnGone: true,
      onNotice: (_queue, notice) => void told.push(notice),
    });
    target.applyNotice(0, { kind: 'gone' });
    send(page('m1'));
    await target.drain();
    expect(outcomes).toMatchObject([{ verdict: 'failed', code: 'gone' }]);
    expect([collector.received, told]).toEqual([[], []]);
  });

  it('is heeded when others tell that it asks for a pause', async () => {
    const { target, clock, collector, send, outcomes } = await scene();
    target.applyNotice(0, { kind: 'paused', untilMs: clock.now() + 60_000 });
    send(page('m1'));
    const drained = target.drain();
    expect(clock.waits).toEqual([60_000]);
    expect(collector.received).toEqual([]);
    clock.advance(60_000);
    await drained;
    expect(outcomes).toMatchObject([{ verdict: 'delivered' }]);
  });
});

describe('a collector that is behind', () => {
  it('says so until a batch has ended', async () => {
    let release!: () => void;
    const held = new Promise<Answer>((resolve) => (release = () => resolve(200)));
    const { target, collector, send, outcomes } = await scene(() => held, {
      flushAt: 2,
      concurrency: 1,
    });
    let sent = 0;
    while (!target.room()) send(page(`m${sent++}`));
    expect(sent).toBe(5);
    await collector.arrived(1);
    expect(collector.received.length).toBe(1);
    release();
    await target.room();
    expect(outcomes.length).toBeGreaterThanOrEqual(2);
    await target.drain();
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(Array(5).fill('delivered'));
  });
});

describe('an interrupted run', () => {
  it('leaves as pending what is gathered, queued or waiting, and lets finish what is in flight', async () => {
    let release!: () => void;
    const held = new Promise<Answer>((resolve) => (release = () => resolve(200)));
    const { target, collector, clock, send, outcomes } = await scene(
      (n) => (n === 0 ? 503 : held),
      {
        flushAt: 1,
        concurrency: 1,
      },
    );
    send(page('waiting'));
    await clock.timers(1);
    send(page('in flight'));
    send(page('queued'));
    await collector.arrived(2);
    target.interrupt();
    send(page('late'));
    release();
    await target.drain();
    expect(outcomes.map(({ verdict, messageId }) => [messageId, verdict])).toEqual([
      ['waiting', 'pending'],
      ['in flight', 'delivered'],
      ['queued', 'pending'],
      ['late', 'pending'],
    ]);
    expect(outcomes[0]).toMatchObject({ code: 'status_503' });
    expect(outcomes[2]).toMatchObject({ code: 'interrupted', attempts: [] });
    expect(collector.received.length).toBe(2);
  });

  it('leaves a batch that was still gathering, also when it is closed without a drain', async () => {
    const { target, collector, send, outcomes } = await scene();
    send(page('m1'));
    await target.close();
    expect(outcomes[0]).toMatchObject({ verdict: 'pending', code: 'interrupted' });
    expect(collector.received).toEqual([]);
  });
});

it('a target without a write key or a usable endpoint is not made', () => {
  const endpoint = 'https://collector.example.com';
  expect(() => new CollectorTarget({ writeKey: '', endpoint })).toThrow(UsageError);
  expect(() => new CollectorTarget({ writeKey: 'key', endpoint: 'nowhere' })).toThrow(UsageError);
});

it('a target shows its URL without the query', () => {
  const target = new CollectorTarget({
    writeKey: 'key',
    endpoint: 'https://example.com/in?token=t',
  });
  expect(target.urls).toEqual(['https://example.com/in']);
});
