import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/check/exchange.js';
import { Pace } from '../../src/check/pace.js';
import { isLimited, maxLimitedMs, RateLimit } from '../../src/check/rate-limit.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** Whether a request passes at a time in milliseconds, and after how many it may come again. */
type Limiter = (now: number) => { readonly passes: boolean; readonly waitMs: number };

function fixedWindow(count: number, windowMs: number): Limiter {
  let start = 0;
  let seen = 0;
  return (now) => {
    const current = Math.floor(now / windowMs) * windowMs;
    if (current !== start) seen = 0;
    start = current;
    return { passes: ++seen <= count, waitMs: current + windowMs - now };
  };
}

function tokenBucket(perSecond: number, size: number): Limiter {
  let tokens = size;
  let filledAt = 0;
  return (now) => {
    tokens = Math.min(size, tokens + ((now - filledAt) * perSecond) / 1000);
    filledAt = now;
    const passes = tokens >= 1;
    if (passes) tokens--;
    return { passes, waitMs: passes ? 0 : ((1 - tokens) / perSecond) * 1000 };
  };
}

function exchangeOf(status: number, retryAfter?: string, changes: object = {}): Exchange {
  const request = { method: 'POST', url: '', headers: [], body: Buffer.alloc(0), isValid: true };
  const headers = retryAfter === undefined ? [] : ['Retry-After', retryAfter];
  const body = Buffer.alloc(0);
  return {
    checkId: 'x',
    request: { ...request, ...changes },
    response: { status, headers, body, bodyEnd: 'complete', interim: [] },
    durationMs: 1,
  };
}

interface Sent {
  readonly passed: number;
  readonly refused: number;
  readonly seconds: number;
  readonly givenUp: string | undefined;
  readonly rate: number;
}

/** Sends so many requests, eight at once at first, each until the limiter lets it through. */
async function send(count: number, limiter: Limiter, saysWhen: boolean): Promise<Sent> {
  const clock = new VirtualClock();
  const over = new AbortController();
  const pace = new Pace(20, clock, over.signal);
  const limit = new RateLimit(pace, clock);
  let [passed, refused, left] = [0, 0, count];
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      for (;;) {
        await pace.take();
        const sentAt = clock.monotonic();
        await new Promise<void>((resolve) => clock.after(5, resolve));
        const { passes, waitMs } = limiter(clock.monotonic());
        const retryAfter = saysWhen ? String(Math.ceil(waitMs / 1000)) : undefined;
        limit.note(passes ? exchangeOf(204) : exchangeOf(429, retryAfter), sentAt);
        if (limit.givenUp !== undefined) over.abort();
        if (passes) {
          passed++;
          break;
        }
        refused++;
      }
    }
  };
  const end = { isReached: false };
  void Promise.allSettled(Array.from({ length: 8 }, worker)).then(() => (end.isReached = true));
  while (!end.isReached) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    clock.advance(5);
  }
  const { givenUp } = limit;
  return { passed, refused, givenUp, seconds: clock.elapsedMs / 1000, rate: pace.rate };
}

describe('a run behind a limiter', () => {
  const limiters: [string, () => Limiter][] = [
    ['8 a second', () => fixedWindow(8, 1_000)],
    ['3 a second', () => fixedWindow(3, 1_000)],
    ['1 a second', () => fixedWindow(1, 1_000)],
    ['100 a minute', () => fixedWindow(100, 60_000)],
    ['a bucket of 8 a second', () => tokenBucket(8, 8)],
    ['a bucket of 1 a second that holds 10', () => tokenBucket(1, 10)],
  ];

  it.each(limiters)('gets all through %s, with and without Retry-After', async (_, limiter) => {
    for (const saysWhen of [true, false]) {
      const sent = await send(110, limiter(), saysWhen);
      expect(sent).toMatchObject({ passed: 110, givenUp: undefined });
      expect(sent.seconds).toBeLessThan(maxLimitedMs / 1000);
      expect(sent.refused).toBeLessThan(60);
    }
  });

  it('sends at nearly the rate that was let through', async () => {
    const { rate } = await send(110, tokenBucket(8, 8), true);
    expect(rate).toBeGreaterThan(3);
    expect(rate).toBeLessThanOrEqual(8);
  });

  it('ends where too little is let through', async () => {
    const sent = await send(110, fixedWindow(5, 30_000), true);
    expect(sent.givenUp).toBe('what it lets through in 3 minutes is too little');
    expect(sent.seconds).toBeLessThan(200);
  });

  it('ends where nothing is let through for a minute', async () => {
    const sent = await send(20, () => ({ passes: false, waitMs: 0 }), false);
    expect(sent).toMatchObject({ passed: 0, givenUp: 'nothing was let through for a minute' });
    expect(sent.seconds).toBeLessThan(70);
  });
});

describe('a limit', () => {
  function limitAt(clock: VirtualClock) {
    const pace = new Pace(20, clock, new AbortController().signal);
    return { pace, limit: new RateLimit(pace, clock) };
  }

  it.each([
    [429, undefined, true],
    [429, 'soon', true],
    [503, '1', true],
    [503, undefined, false],
    [204, '1', false],
  ])('shows in HTTP %s with Retry-After %s: %s', (status, retryAfter, expected) => {
    expect(isLimited(exchangeOf(status, retryAfter))).toBe(expected);
  });

  it('that asks for a wait of an hour ends the run at once', () => {
    const { limit } = limitAt(new VirtualClock());
    limit.note(exchangeOf(429, '3600'), 0);
    expect(limit.givenUp).toContain('asks to wait 3600 s');
  });

  it.each(['30', 'Fri, 20 Nov 2026 08:30:30 GMT'])(
    'with Retry-After %s lets no request go before',
    async (retryAfter) => {
      const clock = new VirtualClock();
      const { pace, limit } = limitAt(clock);
      limit.note(exchangeOf(429, retryAfter), 0);
      let isSent = false;
      void pace.take().then(() => (isSent = true));
      clock.advance(29_000);
      for (let i = 0; i < 20; i++) await Promise.resolve();
      expect(isSent).toBe(false);
      clock.advance(1_000);
      for (let i = 0; i < 20; i++) await Promise.resolve();
      expect(isSent).toBe(true);
    },
  );

  it('that was the answer to forged events alone is forgotten', () => {
    const { pace, limit } = limitAt(new VirtualClock());
    const forged = exchangeOf(429, '1', { isValid: false, rightSignatures: [] });
    limit.note(forged, 0);
    expect(pace.isSlowed).toBe(true);
    limit.dismiss(forged);
    expect([limit.isSeen, pace.isSlowed, limit.hasRefused(forged)]).toEqual([false, false, false]);
    expect(limit.hasRefused(exchangeOf(429))).toBe(true);
  });

  it('that refused valid events, too, stays', () => {
    const { pace, limit } = limitAt(new VirtualClock());
    const forged = exchangeOf(429, '1', { isValid: false, rightSignatures: [] });
    limit.note(exchangeOf(429, '1'), 0);
    limit.dismiss(forged);
    expect([limit.isSeen, pace.isSlowed]).toEqual([true, true]);
  });

  it('never raises the rate that was asked for', () => {
    const clock = new VirtualClock();
    const pace = new Pace(0.2, clock, new AbortController().signal);
    new RateLimit(pace, clock).note(exchangeOf(429), 0);
    expect(pace.rate).toBe(0.2);
  });
});
