import { describe, expect, it } from 'vitest';
import type { Connection } from '../../src/http/connection.js';
import { IdleConnections, maxIdleFor } from '../../src/http/idle-connections.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** What `IdleConnections` uses of a connection. */
class FakeConnection {
  isClosed = false;
  since = 0;
  /** How often it was told whether it keeps the process alive. */
  told = 0;

  close(): void {
    this.isClosed = true;
  }

  keepAlive(): void {
    this.told++;
  }
}

function putIn(idle: IdleConnections, count: number): FakeConnection[] {
  const connections = Array.from({ length: count }, () => new FakeConnection());
  for (const one of connections) idle.put(one as unknown as Connection);
  return connections;
}

const openIn = (connections: readonly FakeConnection[]): number =>
  connections.filter(({ isClosed }) => !isClosed).length;

describe('idle connections', () => {
  it('are closed after 2 s, and forgotten then', () => {
    const clock = new VirtualClock();
    const idle = new IdleConnections(clock);
    const connections = putIn(idle, 3);
    clock.advance(1_999);
    expect(openIn(connections)).toBe(3);
    clock.advance(1);
    expect(openIn(connections)).toBe(0);
    idle.unref();
    expect(connections.map(({ told }) => told)).toEqual([0, 0, 0]);
    expect(idle.take()).toBeUndefined();
  });

  it('are at most as many as a process has files for, over all URLs; those idle for longest are closed', () => {
    const clock = new VirtualClock();
    const urls = [1, 2, 3].map(() => new IdleConnections(clock));
    const [first, second, third] = urls.map((idle) => putIn(idle, 300));
    const open = [first!, second!, third!].map((connections) => openIn(connections));
    expect(open[2]).toBeGreaterThan(0);
    expect(open[0]! + open[1]! + open[2]!).toBeLessThanOrEqual(512);
    expect(open[0]).toBe(0);
  });

  it('of a URL that was closed are not counted', () => {
    const clock = new VirtualClock();
    const [first, second] = [new IdleConnections(clock), new IdleConnections(clock)];
    putIn(first, 400);
    first.close(new Error('over'));
    expect(openIn(putIn(second, 400))).toBe(400);
  });

  it('take a quarter of the files of a process at most', () => {
    expect([40, 2_047, 2_048, Infinity].map(maxIdleFor)).toEqual([10, 511, 512, 512]);
  });

  it('are used again, the last one first, and are not closed meanwhile', () => {
    const clock = new VirtualClock();
    const idle = new IdleConnections(clock);
    const [older, newer] = putIn(idle, 2);
    expect(idle.take()).toBe(newer);
    clock.advance(5_000);
    expect([older!.isClosed, newer!.isClosed]).toEqual([true, false]);
    idle.put(newer as unknown as Connection);
    idle.close(new Error('over'));
    expect(newer!.isClosed).toBe(true);
  });
});
