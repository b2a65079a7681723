import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { runImport } from '../helpers/process.js';
import { writeEventFiles } from './event-files.js';
import { startCountingReceiver } from './receiver.js';
import { expectComplete } from './verdict.js';

describe('the harness of many machines', () => {
  it('judges an embedded import', async () => {
    const cwd = folderWith();
    const files = writeEventFiles(cwd, { files: 4, perFile: 2_500 });
    const receiver = await startCountingReceiver(files.count);
    await receiver.follow([
      { status: 400, every: 401, rest: 5 },
      { status: 503, every: 300, rest: 7, attempts: 1 },
      { every: 300, rest: 8, attempts: 1 },
    ]);
    const result = await runImport([...files.names, '--url', receiver.url], cwd);
    const isRefused = (n: number): boolean => n % 401 === 5;
    await expectComplete(result, cwd, receiver, { files, isRefused, maxRepeats: 0 });
    const { seen } = await receiver.report();
    expect(seen[8]).toBe(2);
  });
});
