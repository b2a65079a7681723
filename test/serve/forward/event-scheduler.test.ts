import { describe, expect, it } from 'vitest';
import { EventScheduler } from '../../../src/serve/forward/event-scheduler.js';

/** A scheduler over lists of names; `target` and the lists may be changed. */
function schedulerOf(given: {
  isUnavailable: boolean;
  probesWanted?: number;
  wantsFreshProbe?: boolean;
}) {
  const target = { probesWanted: 0, ...given };
  const waiting = ['new 1', 'new 2', 'new 3'];
  const due = ['due 1', 'due 2'];
  const later = ['later 1', 'later 2'];
  const scheduler = new EventScheduler({
    backlog: { take: () => waiting.shift(), takeNewest: () => waiting.pop() },
    retries: { take: () => due.shift(), takeEarliest: () => due.shift() ?? later.shift() },
    target,
  } as never);
  const next = (): unknown => {
    const event = scheduler.next();
    scheduler.noteHandled();
    return event;
  };
  return { target, waiting, scheduler, next, rest: () => [next(), next(), next(), next()] };
}

it('while a URL is up, new events and due retries alternate', () => {
  const { rest, next } = schedulerOf({ isUnavailable: false });
  expect([...rest(), next(), next()]).toEqual([
    ...['new 1', 'due 1', 'new 2', 'due 2', 'new 3', undefined],
  ]);
});

it('while all are down, retries that are due are looked at, and new events stay untried', () => {
  const { scheduler, rest } = schedulerOf({ isUnavailable: true });
  scheduler.noteAttempt();
  expect(rest()).toEqual(['due 1', 'due 2', undefined, undefined]);
});

it('until the first probe after a start has ended, nothing but that is looked at', () => {
  const { target, scheduler, next } = schedulerOf({ isUnavailable: true });
  expect([scheduler.awaitsFirstProbe, next()]).toEqual([true, undefined]);
  target.probesWanted = 1;
  expect(next()).toBe('due 1');
  scheduler.noteAttempt();
  expect(scheduler.awaitsFirstProbe).toBe(false);
});

it('a probe is the retry that is due first', () => {
  const { scheduler, next } = schedulerOf({ isUnavailable: true, probesWanted: 1 });
  scheduler.noteAttempt();
  expect([next(), next()]).toEqual(['due 1', 'due 2']);
  expect(next()).toBe('later 1');
});

it('a URL that wants a probe still, after the retry that is due first, gets a new event', () => {
  const { target, scheduler, next } = schedulerOf({ isUnavailable: true, probesWanted: 1 });
  scheduler.noteAttempt();
  expect([next(), next(), next(), next()]).toEqual(['due 1', 'due 2', 'later 1', 'new 1']);
  // It got its probe: the next one is a retry again.
  target.probesWanted = 0;
  next();
  target.probesWanted = 1;
  expect(next()).toBe('later 2');
});

it('a fresh probe is the event that came last, and a retry where there is none', () => {
  const { scheduler, rest } = schedulerOf({
    ...{ isUnavailable: true, probesWanted: 1, wantsFreshProbe: true },
  });
  scheduler.noteAttempt();
  expect(rest()).toEqual(['new 3', 'new 2', 'new 1', 'due 1']);
});

it('due retries are looked at where a fresh probe is wanted, and nothing is left for one', () => {
  const { target, scheduler, rest } = schedulerOf({ isUnavailable: true, probesWanted: 1 });
  scheduler.noteAttempt();
  target.wantsFreshProbe = true;
  expect(rest()).toEqual(['new 3', 'new 2', 'new 1', 'due 1']);
  // That one was no probe of the URL that wants one.
  expect(rest()).toEqual(['due 2', undefined, undefined, undefined]);
});

describe('where URLs want different events, and the first one is put back', () => {
  function puttingBack() {
    const made = schedulerOf({ isUnavailable: true, probesWanted: 0b10 });
    const { scheduler, waiting } = made;
    scheduler.noteAttempt();
    /** Takes what is next; new events are put back in their order. */
    const next = (): string | undefined => {
      const event = scheduler.next() as unknown as string | undefined;
      if (event?.startsWith('new')) {
        waiting.push(event);
        waiting.sort();
        scheduler.noteReleased();
      }
      scheduler.noteHandled();
      return event;
    };
    for (let event = next(); event !== 'later 1'; event = next());
    return { ...made, next };
  }

  it('the first and the last one are tried once each, and not again and again', () => {
    const { next } = puttingBack();
    expect([next(), next(), next()]).toEqual(['new 1', 'new 3', undefined]);
  });

  it('they are tried again when another one has come, or another URL wants a probe', () => {
    const { next, scheduler, waiting, target } = puttingBack();
    while (next());
    waiting.push('new 4');
    scheduler.noteMore();
    expect([next(), next(), next()]).toEqual(['new 1', 'new 4', undefined]);
    target.probesWanted = 0b11;
    expect([next(), next(), next(), next()]).toEqual(['later 2', 'new 1', 'new 4', undefined]);
  });
});
