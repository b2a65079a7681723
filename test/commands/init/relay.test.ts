import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { relayOf, relaySenders } from '../../../src/commands/init/relay-template.js';
import { readRouting } from '../../../src/serve/routing-file.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';

const fileName = 'evfwd.config.yaml';

describe('init --relay', () => {
  it.each(relaySenders)('writes a file for %s that serve accepts as it is', async (sender) => {
    const cwd = folderWith();
    const { code, stderr } = await inProcess(['init', '--relay', sender], { cwd });
    expect(code).toBe(0);
    const { variable, trialSecret, scheme } = relayOf(sender);
    expect(stderr).toContain(`${variable}=${trialSecret} evfwd serve`);
    const path = join(cwd, fileName);
    const { sources, destinations } = await readRouting(path, { [variable]: trialSecret });
    expect(sources).toMatchObject([
      {
        name: sender,
        raw: { path: `/in/${sender}`, scheme: { name: sender }, enforce: true },
        destinations: ['app'],
      },
    ]);
    expect(destinations[0]).toMatchObject({ retryWindowMs: 72 * 3_600_000 });
    expect(destinations[0]!.resign !== undefined).toBe(scheme.toleranceMs !== undefined);
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      expect(line.length).toBeLessThanOrEqual(110);
    }
  });

  it('refuses a sender that it does not know, and names the nearest one', async () => {
    const cwd = folderWith();
    const { code, stderr } = await inProcess(['init', '--relay', 'gitub'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('--relay: there is no sender "gitub"; did you mean github?');
  });
});
