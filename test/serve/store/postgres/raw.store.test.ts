import { describe, expect, it } from 'vitest';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { startRawServer } from '../../../helpers/raw-server.js';
import { startReceiver } from '../../../helpers/receiver.js';
import { relay } from '../../raw/relaying.js';
import { until } from '../../serving.js';
import { countOf, isDrained, sharing } from './sharing.js';

const storeOf = sharedPostgres();

const origin = (url: string): string => new URL(url).origin;

describe('raw sources of instances that share a store', () => {
  it('pass requests on as they are, and know repeats that came to another instance', async () => {
    const app = await startRawServer();
    const [one, two] = await sharing(await storeOf(), await relay(origin(app.url)));
    const bodies = Array.from({ length: 50 }, (_, n) => Buffer.from([0, 0xff, n, 0x0a]));
    await Promise.all(
      bodies.map((body, n) =>
        fetch(`${(n % 2 === 0 ? one : two)!.url}/in/hooks/a%2F?n=${n}`, {
          method: 'PUT',
          body,
          headers: { 'Webhook-Id': `id-${n}`, 'X-Odd': 'caf\u00e9' },
        }),
      ),
    );
    await app.arrived(50);
    const repeat = await fetch(`${two!.url}/in/hooks/a%2F?other`, {
      method: 'PUT',
      body: 'other',
      headers: { 'webhook-id': 'id-0' },
    });
    expect(repeat.status).toBe(200);
    await until(
      () => isDrained(one!),
      (isDone) => isDone,
    );
    expect(app.requests.map(({ body }) => body.toString('hex')).sort()).toEqual(
      bodies.map((body) => body.toString('hex')).sort(),
    );
    expect(app.requests[0]).toMatchObject({ method: 'PUT' });
    expect(app.requests[0]!.path).toMatch(/^\/a%2F\?n=\d+$/);
    expect(app.requests[0]!.headers).toContainEqual(['X-Odd', 'caf\u00e9']);
    expect(await countOf(one!, 'repeated')).toBe(1);
  });

  it('retry, keep dead letters with their captures, find them, and send them again', async () => {
    const statuses = [503, 404];
    const app = await startReceiver((_, index) => ({ status: statuses[index] ?? 200 }));
    const routing = await relay(origin(app.url));
    const delivery = { retryDelaysMs: [200] };
    const [one, two] = await sharing(await storeOf(), routing, 2, { delivery });
    await fetch(`${one!.url}/in/hooks/deep?q=1`, { method: 'POST', body: '{"order":"Chair"}\n' });
    const { rows } = await until(
      () => two!.api('dead-letters'),
      ({ rows: letters }) => letters.length === 1,
    );
    expect(rows[0]).toMatchObject({ type: 'POST', name: '/in/hooks/deep', attempts: 2 });
    const { events } = await two!.api('search?search=chair');
    expect(events).toMatchObject([{ id: rows[0].id, state: 'failed' }]);
    const { request, text } = await two!.api(`events/${rows[0].id}`);
    expect(text).toBeUndefined();
    expect(request).toMatchObject({ path: '/in/hooks/deep?q=1', body: '{"order":"Chair"}\n' });
    const again = await two!.api('redeliveries', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids: [rows[0].id] }),
    });
    expect(again).toEqual({ redelivered: 1 });
    await app.atLeast(3);
    expect(app.requests.map(({ body }) => body.toString())).toEqual(
      Array.from({ length: 3 }, () => '{"order":"Chair"}\n'),
    );
    await app.close();
  });
});
