import { expect, it } from 'vitest';
import { cli } from '../../helpers/cli.js';
import { folderWith } from '../../helpers/folder.js';
import { sharedPostgres } from '../../helpers/postgres.js';

const storeOf = sharedPostgres();

// An open connection would keep the process, and with it the unit of systemd, running for nothing.
it('a mistake in the configuration ends a service with a store, too', async () => {
  const { url, schema } = await storeOf();
  const config = 'sources:\n  web: { writeKey: k1, destinations: [cmr] }\ndestinations: {}\n';
  const cwd = folderWith({ 'evfwd.config.yaml': config });
  const args = ['serve', '--port', '0', '--store-schema', schema];
  const { code, stderr } = await cli(args, { cwd, env: { EVFWD_STORE: url } });
  expect(code).toBe(2);
  expect(stderr).toContain('evfwd.config.yaml:2: sources.web.destinations[0]: ');
});
