import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pointerKey, RunKeys, runsChannel, runsKey } from '../../../src/importer/shared/keys.js';

describe('the keys of the queue', () => {
  it('are all in the table of the examples', () => {
    const keys = new RunKeys('evfwd', '<id>');
    const names = [
      ...[runsKey('evfwd'), runsChannel('evfwd'), pointerKey('evfwd', '<hash>')],
      ...[...keys.all, keys.messages, keys.probe(0).replace(/0$/, '<n>')],
      ...[keys.queue('ranges', '*'), keys.queue('retries', '*')],
    ];
    const manual = readFileSync('examples/many-machines/README.md', 'utf8');
    const cells = manual.split('\n').map((line) => line.split('|')[1] ?? '');
    const documented = cells.flatMap((cell) => cell.match(/(?<=`)evfwd:[^`]+/g) ?? []);
    expect(documented.sort()).toEqual(names.sort());
  });
});
