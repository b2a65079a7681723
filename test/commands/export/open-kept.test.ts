import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';

it.each(['kept', 'kept/3600000', 'kept/3600000/00000001-1700000000000.log'])(
  'names the path of the state that cannot be read: %s',
  async (name) => {
    const state = folderWith();
    const path = join(state, name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(path, path);
    const { code, stderr } = await inProcess(['export', '--state-dir', state]);
    expect(stderr).toBe(
      `evfwd: --state-dir ${state}: ${path} cannot be read: ELOOP; check this path and its disk\n`,
    );
    expect(code).toBe(2);
  },
);

it.skipIf(process.getuid?.() === 0)(
  'says that the permission to read a state is missing',
  async () => {
    const state = folderWith();
    const path = join(state, 'kept');
    mkdirSync(path);
    chmodSync(state, 0o000);
    const { stderr } = await inProcess(['export', '--state-dir', state]);
    chmodSync(state, 0o700);
    expect(stderr).toContain(
      `${path} cannot be read: permission denied (EACCES); run evfwd export as the user of evfwd serve\n`,
    );
  },
);
