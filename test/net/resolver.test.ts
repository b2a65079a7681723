import { expect, it } from 'vitest';
import { Resolver, type ResolveAll } from '../../src/net/resolver.js';

/** A resolver over a system that answers when it is told to, and a clock that stands still. */
function resolving() {
  const running = new Map<string, Parameters<ResolveAll>[2]>();
  const started: string[] = [];
  const told: string[] = [];
  const clock = { now: 0 };
  const system: ResolveAll = (hostname, _options, callback) => {
    started.push(hostname);
    running.set(hostname, callback);
  };
  const { resolve } = new Resolver(system, { monotonic: () => clock.now });
  const ask = (...names: string[]): void => {
    for (const name of names) {
      resolve(name, { all: true }, (error, addresses) =>
        told.push(`${name} ${error?.code ?? addresses![0]!.address}`),
      );
    }
  };
  const end = (name: string, error: NodeJS.ErrnoException | null = null): void => {
    const callback = running.get(name)!;
    running.delete(name);
    if (error) callback(error);
    else callback(null, [{ address: '192.0.2.1', family: 4 }]);
  };
  const hang = (name: string, ms: number): void => {
    clock.now += ms;
    end(name, Object.assign(new Error('none'), { code: 'EAI_AGAIN' }));
  };
  return { ask, end, hang, clock, started, told, resolve };
}

it('looks a name up once for all who ask meanwhile, and anew afterwards', () => {
  const { ask, end, started, told } = resolving();
  ask('a', 'a', 'a');
  expect(started).toEqual(['a']);
  end('a');
  expect(told).toEqual(['a 192.0.2.1', 'a 192.0.2.1', 'a 192.0.2.1']);
  ask('a');
  expect(started).toEqual(['a', 'a']);
});

it('keeps apart what is asked of the same name for another family', () => {
  const { resolve, started } = resolving();
  for (const family of [4, 6, 4]) resolve('a', { all: true, family }, () => undefined);
  expect(started).toEqual(['a', 'a']);
});

it('passes failures on, and looks up eight at once', () => {
  const { ask, end, hang, started, told } = resolving();
  ask(...'a b c d e f g h i j'.split(' '));
  expect(started).toEqual('a b c d e f g h'.split(' '));
  hang('b', 0);
  expect(told).toEqual(['b EAI_AGAIN']);
  expect(started.at(-1)).toBe('i');
  end('a');
  expect(started.at(-1)).toBe('j');
  for (const name of 'c d e f g h i j'.split(' ')) end(name);
  expect(told.slice(1)).toEqual('a c d e f g h i j'.split(' ').map((name) => `${name} 192.0.2.1`));
});

it('leaves room for others beside a name that hangs', () => {
  const { ask, end, hang, clock, started } = resolving();
  ask('dead1');
  hang('dead1', 5_000);
  ask('dead2');
  hang('dead2', 5_000);
  ask('dead1', 'dead2');
  for (let i = 0; i < 3; i++) {
    ask('good');
    end('good');
    clock.now += 3_000;
    ask('dead2');
  }
  expect(started).toEqual(['dead1', 'dead2', 'dead1', 'good', 'good', 'good']);
  hang('dead1', 0);
  expect(started.at(-1)).toBe('dead2');
});

it('counts a name as hanging from a second on, while it is being looked up', () => {
  const { ask, hang, clock, started } = resolving();
  ask('dead1');
  hang('dead1', 5_000);
  ask('dead2');
  clock.now += 1_000;
  ask('dead1', 'new');
  expect(started).toEqual(['dead1', 'dead2', 'new']);
});

it('takes names that went well before new ones, and those before slow ones', () => {
  const { ask, end, hang, started } = resolving();
  ask('good');
  end('good');
  ask('slow');
  hang('slow', 5_000);
  ask(...'a b c d e f g h'.split(' '));
  ask('slow', 'new', 'good');
  started.length = 0;
  for (const name of 'a b c'.split(' ')) end(name);
  expect(started).toEqual(['good', 'new', 'slow']);
});

it('gives up a name that hung and that nobody waits for any longer', () => {
  const { ask, hang, started, told } = resolving();
  ask('dead1');
  hang('dead1', 5_000);
  ask('dead2');
  hang('dead2', 5_000);
  ask('dead1', 'dead2');
  told.length = 0;
  hang('dead1', 20_000);
  expect(told).toEqual(['dead1 EAI_AGAIN', 'dead2 EAI_AGAIN']);
  expect(started).toEqual(['dead1', 'dead2', 'dead1']);
  ask('dead2');
  expect(started.at(-1)).toBe('dead2');
});
