import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/simulate.js', import.meta.url));

function simulate(...args: string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    // Otherwise it would go on beside the tests after this one.
    const options = { maxBuffer: 1e9, timeout: 280_000 };
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? 1 : 0, text: stdout + stderr });
    });
  });
}

/** Each night, many more seeds run: a hundred take ten minutes on a slow machine. */
const worlds = {
  serve: ['--seeds', '15', '--days', '5'],
  import: ['--seeds', '15', '--days', '3'],
};

it.each(Object.entries(worlds))(
  '%s keeps its promises in worlds of chance',
  { timeout: 300_000 },
  async (only, flags) => {
    const { code, text } = await simulate('--only', only, ...flags);
    expect([code, text]).toEqual([0, expect.stringContaining('0 violations')]);
  },
);

it.each([
  // The last commit before a wait for retries failed, and nothing ended the wait.
  ['import', '47', '3', undefined],
  // A retry went to one URL while the response of another one was on its way, which the judge took for a repeat.
  ['import', '187', '3', undefined],
  // A commit failed, and what waited for a connection was sent.
  ['serve', '9018', '5', 'sends what waits for a connection when a commit fails'],
  // A retry that fell due in the last millisecond of a pause was given back, and forgotten until a restart.
  ['serve', '151', '10', 'forgets a retry that was released'],
  // An event that was handed back when a commit failed was still sent to its other URLs; a test of `delivery` shows it.
  ['serve', '189', '5', undefined],
  // A retry whose window had ended while the program was down was looked at without end, while its URL was down.
  ['serve', '64', '5', undefined],
  // The judge did not count a damaged block that nothing had read.
  ['serve', '183', '10', undefined],
])('%s keeps them in the world %s, where it did not', async (only, seed, days, defect) => {
  const flags = ['--only', only, '--seed', seed, '--days', days];
  const { code, text } = await simulate(...flags);
  expect([code, text]).toEqual([0, expect.stringContaining('0 violations')]);
  if (defect === undefined) return;
  const again = await simulate(...flags, '--mutant', defect, '--whole');
  expect([again.code, again.text]).toEqual([1, expect.stringContaining('1 violations')]);
});

it.each(['serve', 'import'])('the same seed gives the same history of %s', async (only) => {
  const flags = ['--only', only, '--seed', '10', '--days', '5', '--verbose'];
  const [once, again] = [await simulate(...flags), await simulate(...flags)];
  expect(once.text).toContain('run 1 starts');
  expect(again).toEqual(once);
});

it.each([
  ['a service that forgets what was released', 'serve'],
  ['a service that ignores pauses', 'serve'],
  ['a service that acknowledges before the flush', 'serve'],
  ['an import that forgets lines that a thread has not read', 'import'],
  ['an import that lets the next event of a user go before the retry', 'import'],
])('finds %s', async (defect, only) => {
  const mutant = defect.replace(/^an? \w+ that /, '');
  const flags = ['--mutant', mutant, '--only', only, '--days', '5', '--whole'];
  const { code, text } = await simulate(...flags);
  expect([code, text]).toEqual([1, expect.stringContaining('1 violations')]);
});
