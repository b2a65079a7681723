import { describe, expect, it } from 'vitest';
import { SharedTurns } from '../../../src/importer/workers/shared-turns.js';
import type { LeaseRequest, TurnLease } from '../../../src/turn-lease.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { withResolvers } from '../../../src/with-resolvers.js';

/** Leases of three turns at most. */
const perSecond = 300;

/** The host of a job: `ask` grants what is requested; `askUntilEnd` gets no response until `end`, then undefined. */
function hostOf(inMs = 0) {
  const requests: LeaseRequest[] = [];
  const jobEnd = withResolvers();
  const ask = (request: LeaseRequest): Promise<TurnLease | undefined> => {
    requests.push(request);
    return Promise.resolve({ inMs, turns: request.turns, intervalMs: 5 });
  };
  const askUntilEnd = async (request: LeaseRequest): Promise<undefined> => {
    requests.push(request);
    await jobEnd.promise;
  };
  return { requests, ask, askUntilEnd, end: () => jobEnd.resolve() };
}

describe('the turns that jobs of one thread share', () => {
  it('go to the next job when one has not used them', async () => {
    const shared = new SharedTurns(new VirtualClock());
    const host = hostOf();
    const [first, next] = [0, 1].map(() => shared.join('run', perSecond, host.ask));
    expect(await first!.turn(3)).toBe(0);
    expect(first!.leave()).toBeUndefined();
    expect(next!.turn(1)).toBe(5);
    expect(next!.leave()).toEqual({ leases: [{ inMs: 10, turns: 1, intervalMs: 5 }], unused: 0 });
    expect(host.requests).toEqual([{ turns: 3, unused: 0 }]);
  });

  it('are no more than the jobs need together', async () => {
    const shared = new SharedTurns(new VirtualClock());
    const host = hostOf();
    const jobs = [0, 1].map(() => shared.join('run', perSecond, host.ask));
    for (const job of jobs) await job.turn(1);
    expect(host.requests.reduce((sum, { turns }) => sum + turns, 0)).toBe(2);
    expect(jobs.map((job) => job.leave())).toEqual([undefined, { leases: [], unused: 0 }]);
  });

  it('are asked for again through another job when the first one ends before the response', async () => {
    const shared = new SharedTurns(new VirtualClock());
    const [ended, host] = [hostOf(), hostOf(7)];
    const first = shared.join('run', perSecond, ended.askUntilEnd);
    const next = shared.join('run', perSecond, host.ask);
    const wait = next.turn(1);
    expect([ended.requests, host.requests]).toEqual([[{ turns: 1, unused: 0 }], []]);
    first.leave();
    ended.end();
    expect(await wait).toBe(7);
    expect(host.requests).toEqual([{ turns: 1, unused: 0 }]);
  });

  it('are not waited for by a job that is stopped, but by the others', async () => {
    const shared = new SharedTurns(new VirtualClock());
    const host = hostOf();
    const stopped = shared.join('run', perSecond, host.askUntilEnd);
    const wait = stopped.turn();
    stopped.stop();
    expect(await wait).toBe(0);
    expect(stopped.turn()).toBe(0);
    const next = shared.join('run', perSecond, host.ask);
    stopped.leave();
    const turn = next.turn(1);
    host.end();
    expect(await turn).toBe(0);
  });

  it('come to a job that waits behind one that was stopped', async () => {
    const shared = new SharedTurns(new VirtualClock());
    const [ended, host] = [hostOf(), hostOf()];
    const stopped = shared.join('run', perSecond, ended.askUntilEnd);
    const next = shared.join('run', perSecond, host.ask);
    void stopped.turn(1);
    stopped.leave();
    const wait = next.turn(1);
    ended.end();
    expect(await wait).toBe(0);
    expect(host.requests).toEqual([{ turns: 1, unused: 0 }]);
  });

  it('are returned once when unused, also if the job that has returned them ends before the response', async () => {
    const clock = new VirtualClock();
    const shared = new SharedTurns(clock);
    const [ended, host] = [hostOf(), hostOf()];
    const asks = [ended.ask, ended.askUntilEnd];
    const first = shared.join('run', perSecond, (request) => asks.shift()!(request));
    const next = shared.join('run', perSecond, host.ask);
    expect(await first.turn(3)).toBe(0);
    clock.advance(1_000);
    const wait = next.turn(1);
    first.leave();
    ended.end();
    expect(await wait).toBe(0);
    expect(ended.requests.map(({ unused }) => unused)).toEqual([0, 2]);
    expect(host.requests).toEqual([{ turns: 3, unused: 0 }]);
  });

  it('are not shared with another run', async () => {
    const shared = new SharedTurns(new VirtualClock());
    const hosts = [hostOf(1), hostOf(2)];
    const jobs = hosts.map(({ ask }, n) => shared.join(`run ${n}`, perSecond, ask));
    expect([await jobs[0]!.turn(), await jobs[1]!.turn()]).toEqual([1, 2]);
  });
});
