import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { cli, ended, start } from '../../helpers/cli.js';
import { findPostgres } from '../../helpers/find-postgres.js';
import { sharedPostgres, type PostgresServer } from '../../helpers/postgres.js';

describe.skipIf(findPostgres() === undefined)('evfwd demo --machines', () => {
  const open = sharedPostgres();

  it('kills a worker, counts what arrived, and leaves nothing behind', async () => {
    const { server, url } = await open();
    const before = await schemasOf(server);
    const { code, stdout, stderr } = await cli(['demo', '--machines', '--store', url]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^3\. Worker 2 was killed \(kill -9\) when \d+,\d+ events had arrived\.$/m,
    );
    expect(stdout).toMatch(/^ +arrived +20,000 of 20,000 events$/m);
    expect(stdout).toMatch(/^ +lost +0 ✓$/m);
    const number = (name: string): number =>
      Number(new RegExp(`^ +${name} +([\\d,]+)`, 'm').exec(stdout)![1]!.replaceAll(',', ''));
    expect(number('sent')).toBe(20_000 + number('repeats'));
    expect(number('repeats')).toBeLessThanOrEqual(1_000);
    expect(await schemasOf(server)).toEqual(before);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const { server, url } = await open();
    const before = await schemasOf(server);
    const child = start(['demo', '--machines'], { env: { EVFWD_STORE: url } });
    const result = ended(child);
    let text = '';
    while (!text.includes('begins')) text += String((await once(child.stdout, 'data'))[0]);
    child.kill('SIGINT');
    const { code, stderr } = await result;
    expect([code, stderr]).toEqual([130, 'interrupted: removing what the demo made\n']);
    expect(await schemasOf(server)).toEqual(before);
    const sessions = await server.sql(
      `SELECT 1 FROM pg_stat_activity WHERE application_name = 'evfwd'`,
    );
    expect(sessions).toEqual([]);
  });

  it('needs a store', async () => {
    const { code, stderr } = await cli(['demo', '--machines']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^evfwd: no store: /);
  });
});

async function schemasOf(server: PostgresServer): Promise<unknown[]> {
  return server.sql('SELECT nspname FROM pg_namespace ORDER BY 1');
}
