import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startNoisyHandler } from '../helpers/noisy-handler.js';
import { captureFile } from '../replay/captures.js';

/** The peak that the system counts for a process begins with that of its parent; this one does not. */
const peak = `
  const { readFileSync, writeFileSync } = require('node:fs');
  process.on('exit', () =>
    writeFileSync('peak', /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));
`;

it.runIf(process.platform === 'linux')(
  '10,000 requests to two equal handlers with noise: no difference, and less than 200 MB',
  async () => {
    const [baseline, candidate] = await Promise.all([startNoisyHandler(1), startNoisyHandler(1)]);
    const captures = Array.from({ length: 10_000 }, (_, n) => ({
      path: `/g${n % 20}/${n}`,
      body: JSON.stringify({ pad: 'x'.repeat(2_000) }),
    }));
    const cwd = folderWith({ got: captureFile(...captures), 'peak.cjs': peak });
    const args = ['replay', 'got', '--url', baseline, '--candidate', candidate, '--json'];
    const { code, stdout } = await cli(args, {
      cwd,
      env: { NODE_OPTIONS: `--require ${join(cwd, 'peak.cjs')}` },
    });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({ requests: 10_000, same: 10_000, failed: 0 });
    expect(code).toBe(0);
    const mebibytes = Number(readFileSync(join(cwd, 'peak'), 'utf8')) / 1024;
    expect(mebibytes).toBeLessThan(200);
  },
);
