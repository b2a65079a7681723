import { describe, expect, it } from 'vitest';
import { probeCommand } from '../../src/check/probe-command.js';

describe('the command of a probe', () => {
  const numbers: [string, number][] = [
    ['echo 12', 12],
    [`printf '   7 \\n\\n'`, 7],
    ['echo noise >&2; echo 0', 0],
    ['true && expr 1 + 2 | cat', 3],
  ];

  it.each(numbers)('%j counts', async (command, count) => {
    expect(await probeCommand(command)()).toBe(count);
  });

  const failures: [string, string][] = [
    ['exit 3', 'the probe ended with exit code 3'],
    ['echo "no such table" >&2; exit 1', 'the probe ended with exit code 1: no such table'],
    ['kill -9 $$', 'the probe ended with SIGKILL'],
    ['true', 'the probe printed nothing; it has to print a number'],
    [
      'echo "12 rows"',
      'the probe printed "12 rows"; it has to print a whole number and nothing else',
    ],
    ['echo 1.5', 'the probe printed "1.5"; it has to print a whole number and nothing else'],
    [
      'echo "cannot reach postgres://me:geheim@db/x" >&2; exit 2',
      'the probe ended with exit code 2: cannot reach postgres://***@db/x',
    ],
  ];

  it.each(failures)('%j fails with one line', async (command, message) => {
    await expect(probeCommand(command)()).rejects.toThrow(new Error(message));
  });

  it('is killed with all that it has started when it takes too long', async () => {
    const probe = probeCommand('sleep 60 | cat; echo 1', 100);
    await expect(probe()).rejects.toThrow('the probe took longer than 0.1 s');
  });
});
