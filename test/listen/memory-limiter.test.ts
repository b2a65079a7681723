import { describe, expect, it } from 'vitest';
import {
  MemoryLimiter,
  type MemoryRequest,
  type Reservation,
} from '../../src/listen/memory-limiter.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const KiB = 1024;
const large = 100 * KiB;

function limiterOf(bytes: number) {
  const clock = new VirtualClock();
  const memory = new MemoryLimiter({ bytes, uploadTimeoutMs: 1000 }, clock);
  const events: string[] = [];
  const take = (name: string, size: number): Reservation => {
    const request: MemoryRequest = {
      bytes: size,
      grant: () => events.push(`${name} enters`),
      refuse: () => {
        events.push(`${name} refused`);
        reservation.release();
      },
    };
    const reservation = memory.reserve(request);
    return reservation;
  };
  return { memory, clock, events, take };
}

describe('a memory limiter', () => {
  it('lets the next ones in, in their order, when others leave', () => {
    const { memory, events, take } = limiterOf(300 * KiB);
    const reservations = ['a', 'b', 'c', 'd'].map((name) => take(name, large));
    expect(events).toEqual(['a enters', 'b enters']);
    expect(reservations.map(({ isWaiting }) => isWaiting)).toEqual([false, false, true, true]);
    reservations[0]!.release();
    reservations[0]!.release();
    expect(events).toEqual(['a enters', 'b enters', 'c enters']);
    reservations[2]!.settle(10);
    expect(events.at(-1)).toBe('d enters');
    for (const reservation of reservations) reservation.release();
    expect(memory.heldBytes).toBe(0);
  });

  it('has a quarter for small ones, which do not wait behind large ones', () => {
    const { events, take } = limiterOf(300 * KiB);
    for (const name of ['a', 'b', 'c']) take(name, large);
    for (const name of ['d', 'e']) take(name, 50 * KiB);
    take('f', KiB);
    expect(events).toEqual(['a enters', 'b enters', 'd enters', 'e enters']);
  });

  it('has no large one overtake another', () => {
    const { events, take } = limiterOf(400 * KiB);
    const first = take('a', 250 * KiB);
    take('b', 200 * KiB);
    take('c', 70 * KiB);
    expect(events).toEqual(['a enters']);
    first.release();
    expect(events).toEqual(['a enters', 'b enters', 'c enters']);
  });

  it('forgets one that leaves while it waits', () => {
    const { events, take } = limiterOf(300 * KiB);
    const reservations = ['a', 'b', 'c', 'd'].map((name) => take(name, large));
    reservations[2]!.release();
    reservations[0]!.release();
    expect(events).toEqual(['a enters', 'b enters', 'd enters']);
  });

  it('takes one that is larger than the memory, alone', () => {
    const { events, take } = limiterOf(KiB);
    take('a', large).release();
    take('b', large);
    take('c', large);
    expect(events).toEqual(['a enters', 'b enters']);
  });

  it('refuses an upload that lasts too long while others wait, and none while nobody waits', () => {
    const { clock, events, take } = limiterOf(300 * KiB);
    take('a', large);
    clock.advance(5_000);
    const b = take('b', large);
    expect(events).toEqual(['a enters', 'b enters']);
    take('c', large);
    clock.advance(500);
    expect(events.slice(2)).toEqual(['a refused', 'c enters']);
    b.settle(large);
    take('d', large);
    clock.advance(10_000);
    expect(events.slice(4)).toEqual(['c refused', 'd enters']);
  });

  it('refuses one that waited three times as long for what is being answered', () => {
    const { clock, events, take } = limiterOf(300 * KiB);
    for (const name of ['a', 'b']) take(name, large).settle(large);
    take('c', large);
    clock.advance(2_900);
    expect(events).toEqual(['a enters', 'b enters']);
    clock.advance(300);
    expect(events.slice(2)).toEqual(['c refused']);
  });

  it('can be filled by what is no request', () => {
    const { memory, events, take } = limiterOf(300 * KiB);
    const free = memory.count(290 * KiB);
    take('a', large);
    take('b', 20 * KiB);
    expect(events).toEqual([]);
    free();
    expect(events).toEqual(['a enters', 'b enters']);
  });
});
