import { describe, expect, it } from 'vitest';
import { Lists } from '../../../src/serve/operations/lists.js';
import { Newest } from '../../../src/serve/operations/newest.js';
import { RecentRequests } from '../../../src/serve/operations/recent-requests.js';
import { RawRequest } from '../../../src/serve/raw/raw-request.js';
import type { Page } from '../../../src/serve/store/store-views.js';
import type { ServiceStore } from '../../../src/serve/store/service-store.js';
import { deadLetterOf, type DeadLetter } from '../../../src/serve/store/records.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

const mebibyte = 1_048_576;

/** Lists of this many dead letters, each a request with this body; reading a row takes `msPerRow`. */
function listsOf(count: number, body: Buffer, msPerRow = 0) {
  const clock = new VirtualClock();
  const head = {
    method: 'POST',
    path: '/in/x',
    sourcePathLength: 5,
    headers: [],
    isTls: false,
  } as const;
  const verdict = {
    remoteAddress: null,
    signature: 'unchecked',
    scheme: null,
    reason: null,
  } as const;
  const { bytes } = RawRequest.of({ ...head, ...verdict }, body, 'hooks');
  const letter = (id: number): DeadLetter =>
    deadLetterOf(
      {
        ...{ id, seen_key: Buffer.from([id % 256]), destination: 1, source: 1, bytes },
        ...{
          message_id: JSON.stringify(`m${id}`),
          writes_message_id: 0,
          received_at: 0,
          failed_at: 0,
          attempts: 1,
        },
        ...{ code: 'status_404', message: 'HTTP 404', last_status: 404, response: null },
      },
      () => 'app',
    );
  const steps: { readonly rows: number; readonly turn: number }[] = [];
  let turn = 0;
  const views = {
    deadLetters: ({ before = count + 1, limit }: Page) => {
      const rows = Math.min(limit, before - 1);
      steps.push({ rows, turn });
      clock.advance(rows * msPerRow);
      return Array.from({ length: rows }, (_, index) => letter(before - 1 - index));
    },
    deadLetterCount: () => count,
    keyOf: ({ key }: DeadLetter) => key,
  };
  const store = { views } as unknown as ServiceStore;
  const recent = { activity: new Newest<never>(1), requests: new RecentRequests() };
  const lists = new Lists(store, { ...recent, clock }, () => undefined as never);
  const counting = { ends: false };
  const count1 = (): void => {
    turn++;
    if (!counting.ends) setImmediate(count1);
  };
  setImmediate(count1);
  const end = (): void => void (counting.ends = true);
  return { lists, steps, end };
}

describe('a list of dead letters with bodies of 1 MiB', () => {
  it('is read a few rows in a turn of the event loop', async () => {
    const { lists, steps, end } = listsOf(40, Buffer.alloc(mebibyte, 'a'));
    const page = await lists.deadLetters({ limit: 50, search: 'absent' });
    end();
    expect(page).toEqual({ rows: [], next: null, total: 40 });
    expect(steps.map(({ rows }) => rows)).toEqual([16, 16, 8]);
    expect(new Set(steps.map(({ turn }) => turn)).size).toBe(3);
  });

  it('is searched for two seconds at most, and goes on from there', async () => {
    const { lists, steps, end } = listsOf(400, Buffer.from('x'), 25);
    const page = await lists.deadLetters({ limit: 50, search: 'absent' });
    end();
    expect(page).toEqual({ rows: [], next: '321', total: 400 });
    expect(steps).toHaveLength(5);
  });

  it('has pages of as many as were asked for', async () => {
    const { lists, end } = listsOf(40, Buffer.from('x'));
    const ids = async (after?: string) => {
      const { rows, next } = await lists.deadLetters({ limit: 20, ...(after && { after }) });
      return [...rows.map(({ messageId }) => messageId), next];
    };
    const first = await ids();
    expect([first.length, first.at(-2), first.at(-1)]).toEqual([21, 'm21', '21']);
    const second = await ids('21');
    end();
    expect([second[0], second.length, second.at(-1)]).toEqual(['m20', 21, null]);
  });

  it.each([
    ['in any case', 'NEEDLE', 'xx nEEdle'],
    ['across the parts that are read at once', 'needle', `${'x'.repeat(65_533)}needle`],
    ['with letters beyond ASCII', 'ÄÖ', `${'x'.repeat(70_000)}äö`],
    ['at the end', 'needle', `${'é'.repeat(65_000)}needle`],
  ])('finds a text %s', async (_where, search, body) => {
    const { lists, end } = listsOf(1, Buffer.from(body));
    const { rows } = await lists.deadLetters({ limit: 5, search });
    const none = await lists.deadLetters({ limit: 5, search: `${search}!` });
    end();
    expect([rows.length, none.rows.length]).toEqual([1, 0]);
  });
});
