import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Faults, type Target } from '../../src/listen/fault-plan.js';

const request = (type = 'track', path = '/hook'): Target => ({ events: [{ type }], path });

/** The text of the fault chosen for each of these, or `-`. */
function struck(faults: Faults, targets: readonly Target[]): string[] {
  return targets.map((target) => faults.choose(target)?.text ?? '-');
}

const many = (count: number, target = request()): Target[] => Array<Target>(count).fill(target);

describe('the chosen fault', () => {
  it('is the first that matches', () => {
    const faults = new Faults({
      faults: ['status=500,type=page', 'status=501,path=/a', 'reset'],
      seed: 1,
    });
    const targets = [request(), request('page'), request('track', '/a?b=1'), request('page', '/a')];
    expect(struck(faults, targets)).toEqual([
      'reset',
      'status=500,type=page',
      'status=501,path=/a',
      'status=500,type=page',
    ]);
  });

  it('is none when none matches: a type must be present, and the path must be the whole one', () => {
    const faults = new Faults({ faults: ['reset,type=page', 'hang,path=/hook/'], seed: 1 });
    expect(struck(faults, [request(), { events: [], path: '/hook' }])).toEqual(['-', '-']);
  });

  it('matches the type of each event of a batch', () => {
    const faults = new Faults({ faults: ['reset,type=page'], seed: 1 });
    const batch = { events: [{ type: 'track' }, { type: 'page' }], path: '/v1/batch' };
    expect(struck(faults, [batch])).toEqual(['reset,type=page']);
  });

  it('is the next one when the first n of one are used up', () => {
    const faults = new Faults({ faults: ['reset,first=2', 'hang,first=1'], seed: 1 });
    expect(struck(faults, many(5))).toEqual([
      'reset,first=2',
      'reset,first=2',
      'hang,first=1',
      '-',
      '-',
    ]);
  });

  it('does not count requests of another one', () => {
    const faults = new Faults({ faults: ['reset,type=page', 'hang,first=1'], seed: 1 });
    expect(struck(faults, [request('page'), request(), request()])).toEqual([
      'reset,type=page',
      'hang,first=1',
      '-',
    ]);
  });

  it('is the next one when a rate does not fire', () => {
    const faults = new Faults({ faults: ['reset,rate=0%', 'hang,rate=100%'], seed: 1 });
    expect(new Set(struck(faults, many(100)))).toEqual(new Set(['hang,rate=100%']));
  });
});

describe('a rate', () => {
  it('fires for about its share', () => {
    const faults = new Faults({ faults: ['reset,rate=10%'], seed: 5 });
    const hits = struck(faults, many(10_000)).filter((text) => text !== '-').length;
    expect(hits).toBeGreaterThan(900);
    expect(hits).toBeLessThan(1100);
  });

  it('fires for the same requests with the same seed, and others with another', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (seed, other) => {
        const plan = ['reset,rate=30%', 'hang,rate=50%'];
        const run = (of: number) => struck(new Faults({ faults: plan, seed: of }), many(200));
        expect(run(seed)).toEqual(run(seed));
        if (seed !== other) expect(run(seed)).not.toEqual(run(other));
      }),
    );
  });

  it('is drawn separately for each fault', () => {
    const faults = new Faults({ faults: ['reset,rate=50%', 'hang,rate=50%'], seed: 3 });
    const counts = new Map<string, number>();
    for (const text of struck(faults, many(4000))) counts.set(text, (counts.get(text) ?? 0) + 1);
    expect(counts.get('hang,rate=50%')! / 4000).toBeCloseTo(0.25, 1);
    expect(counts.get('-')! / 4000).toBeCloseTo(0.25, 1);
  });

  it('is not affected by requests that it does not match, nor by faults before it', () => {
    const plain = struck(
      new Faults({ faults: ['hang,rate=0%', 'reset,rate=30%'], seed: 9 }),
      many(50),
    );
    const mixed = many(50).flatMap((target) => [target, request('page', '/other')]);
    const faults = new Faults({
      faults: ['status=500,path=/other', 'reset,rate=30%,path=/hook'],
      seed: 9,
    });
    const hits = struck(faults, mixed).filter((_text, i) => i % 2 === 0);
    expect(hits.map((text) => text !== '-')).toEqual(plain.map((text) => text !== '-'));
  });
});

describe('a plan', () => {
  it('is shown as written, and starts over when it is replaced', () => {
    const faults = new Faults({ faults: ['reset,first=1'], seed: 4 });
    expect(struck(faults, many(2))).toEqual(['reset,first=1', '-']);
    faults.replace({ faults: [' reset,first=1 ', 'hang,rate=1%'], seed: 5 });
    expect(faults.plan).toEqual({ faults: ['reset,first=1', 'hang,rate=1%'], seed: 5 });
    expect(struck(faults, many(1))).toEqual(['reset,first=1']);
  });

  it('is unchanged when a new one is wrong', () => {
    const faults = new Faults({ faults: ['reset'], seed: 4 });
    expect(() => faults.replace({ faults: ['hang', 'nonsense'], seed: 5 })).toThrow('nonsense');
    expect(faults.plan).toEqual({ faults: ['reset'], seed: 4 });
  });
});
