import { describe, expect, it } from 'vitest';
import { refOf } from '../../../helpers/held-ref.js';
import type { EndpointNotice } from '../../../../src/delivery/endpoint-notice.js';
import { HeldItem } from '../../../../src/importer/shared/worker/held-item.js';
import { UrlStates } from '../../../../src/importer/shared/worker/url-states.js';
import type { ItemExecution } from '../../../../src/importer/workers/item-execution.js';

/** The clock of the server is 1 s ahead of that of the executions. */
const aheadMs = 1_000;

function setup() {
  let now = 10_000;
  const published: [number, EndpointNotice][] = [];
  const changes: string[] = [];
  const items: HeldItem[] = [];
  const states = new UrlStates({
    server: {
      now: () => now,
      notify: (_run, url, notice) => {
        published.push([url, notice]);
        return Promise.resolve();
      },
    },
    run: 'r',
    aheadMs: () => aheadMs,
    items: () => items,
    onChange: (url, { kind }, forMs) => changes.push(`${url} ${kind} ${forMs}`),
    onError: (error) => changes.push(String(error)),
  });
  const addItem = () => {
    const { item, applied } = itemOf();
    items.push(item);
    return applied;
  };
  return { states, published, changes, addItem, passTime: (ms: number) => (now += ms) };
}

/** An item and the notices that its execution gets. */
function itemOf() {
  const applied: string[] = [];
  const execution: ItemExecution = {
    ended: new Promise(() => undefined),
    durable: () => undefined,
    applyNotice: (url, notice) => {
      const time = notice.kind === 'down' ? ` ${notice.sinceMs}` : '';
      const end = notice.kind === 'paused' ? ` ${notice.untilMs}` : '';
      applied.push(`${url} ${notice.kind}${time}${end}`);
    },
    ...{ holdReading: () => undefined, stop: () => undefined },
  };
  const item = new HeldItem(refOf('ranges', 'i'));
  item.attach(execution);
  return { item, applied };
}

describe('what workers know of URLs', () => {
  it('is published with the time of the server, and applied with that of the threads', () => {
    const { states, published, changes, addItem } = setup();
    const applied = addItem();
    states.found(0, { kind: 'paused', untilMs: 14_000 });
    expect(published).toEqual([[0, { kind: 'paused', untilMs: 15_000 }]]);
    expect(applied).toEqual(['0 paused 14000']);
    expect(changes).toEqual(['0 paused 5000']);
  });

  it('is not published again when it is heard, and said once', () => {
    const { states, published, changes, addItem } = setup();
    const applied = addItem();
    states.heard(1, { kind: 'down', sinceMs: 9_000 });
    states.heard(1, { kind: 'down', sinceMs: 9_000 });
    states.heard(1, { kind: 'up' });
    states.heard(1, { kind: 'up' });
    states.heard(2, { kind: 'gone' });
    states.heard(2, { kind: 'gone' });
    expect(published).toEqual([]);
    expect(applied.slice(0, 1)).toEqual(['1 down 8000']);
    expect(changes).toEqual(['1 down 0', '1 up 0', '2 gone 0']);
  });

  it('has the time since when a URL is down: the earliest, until it was up', () => {
    const { states, published, changes } = setup();
    states.found(0, { kind: 'down', sinceMs: 8_500 });
    expect(published).toEqual([[0, { kind: 'down', sinceMs: 9_500 }]]);
    states.heard(0, { kind: 'down', sinceMs: 9_400 });
    states.heard(0, { kind: 'down', sinceMs: 9_600 });
    expect(states.current()).toEqual([{ queue: 0, notice: { kind: 'down', sinceMs: 8_400 } }]);
    states.heard(0, { kind: 'up' });
    states.heard(0, { kind: 'down', sinceMs: 9_900 });
    expect(states.current()).toEqual([{ queue: 0, notice: { kind: 'down', sinceMs: 8_900 } }]);
    expect(changes).toEqual(['0 down 0', '0 up 0', '0 down 0']);
  });

  it('is said once for a pause that is made longer, and again for a later one', () => {
    const { states, changes, passTime } = setup();
    states.heard(0, { kind: 'paused', untilMs: 11_000 });
    states.heard(0, { kind: 'paused', untilMs: 12_000 });
    passTime(3_000);
    states.heard(0, { kind: 'paused', untilMs: 12_500 });
    states.heard(0, { kind: 'paused', untilMs: 14_000 });
    expect(changes).toEqual(['0 paused 1000', '0 paused 1000']);
  });

  it('is applied to an item that begins, as far as it still holds', () => {
    const { states, passTime } = setup();
    states.heard(0, { kind: 'paused', untilMs: 11_000 });
    states.heard(1, { kind: 'paused', untilMs: 20_000 });
    states.heard(2, { kind: 'gone' });
    states.heard(3, { kind: 'down', sinceMs: 9_000 });
    states.heard(4, { kind: 'down', sinceMs: 9_000 });
    states.heard(4, { kind: 'up' });
    passTime(5_000);
    expect(states.current()).toEqual([
      { queue: 2, notice: { kind: 'gone' } },
      { queue: 3, notice: { kind: 'down', sinceMs: 8_000 } },
      { queue: 1, notice: { kind: 'paused', untilMs: 19_000 } },
    ]);
  });
});
