import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadProfile } from '../../src/config/file.js';

it('the examples of docs/configuration.md are read, all but one in one file', async () => {
  const page = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1]!);
  expect(blocks).toHaveLength(4);
  const directory = await mkdtemp(join(tmpdir(), 'evfwd-docs-'));
  const [endpoints, ...others] = [blocks[1]!, blocks[0]!, ...blocks.slice(2)];
  await writeFile(join(directory, 'evfwd.config.yaml'), others.join(''));
  await writeFile(join(directory, 'endpoints.yaml'), endpoints);
  const place = { cwd: directory, home: directory };
  const env = { STAGING_SECRET: 's', WAREHOUSE_WRITE_KEY: 'k' };
  expect(await loadProfile({ ...place, env, profile: 'staging' })).toMatchObject({
    timeoutMs: 10_000,
    webhooks: { sharedSecret: 's' },
  });
  expect(await loadProfile({ ...place, env, profile: 'warehouse' })).toMatchObject({
    collector: { writeKey: 'k', endpoint: 'https://collect.example.com' },
  });
  expect(
    await loadProfile({ ...place, env, profile: 'shop', path: 'endpoints.yaml' }),
  ).toMatchObject({
    webhooks: { endpoints: [{ timeoutMs: 5_000 }, { timeoutMs: 10_000, rate: 100 }] },
  });
  await rm(directory, { recursive: true });
});
