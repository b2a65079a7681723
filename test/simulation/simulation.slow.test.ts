import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/simulate.js', import.meta.url));

function simulate(...args: string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { maxBuffer: 1e9 }, (error, stdout, stderr) => {
      resolve({ code: error ? 1 : 0, text: stdout + stderr });
    });
  });
}

it('a service keeps its promises in worlds of chance', async () => {
  const { code, text } = await simulate('--seeds', '25', '--days', '10');
  expect([code, text]).toEqual([0, expect.stringContaining('0 violations')]);
});

it('the same seed gives the same history', async () => {
  const once = await simulate('--seed', '10', '--days', '10', '--verbose');
  const again = await simulate('--seed', '10', '--days', '10', '--verbose');
  expect(once.text).toContain('run 1 starts');
  expect(again).toEqual(once);
});

it.each(['forgets what is handed back', 'ignores pauses', 'acknowledges before the flush'])(
  'finds a service that %s',
  async (mutant) => {
    const { code, text } = await simulate('--mutant', mutant, '--days', '5', '--whole');
    expect([code, text]).toEqual([1, expect.stringContaining('1 violations')]);
  },
);
