import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StateError } from '../../src/errors.js';
import { LetterFile } from '../../src/ledger/letter-file.js';
import { folderWith } from '../helpers/folder.js';

function lettersOf(names: readonly string[], firstId = 1) {
  return names.map((name, i) => ({
    id: firstId + i,
    line: Buffer.from(`{"type":"dead-letter","message":"${name}"}\n`),
  }));
}

function textOf(letters: readonly { line: Buffer }[]): string {
  return Buffer.concat(letters.map(({ line }) => line)).toString();
}

describe('a dead-letter file', () => {
  it('has each letter once, wherever the writing of some was cut off', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'a longer one', 'é'), { maxLength: 5 });
    fc.assert(
      fc.property(names, names, fc.nat(), (before, given, cut) => {
        const path = join(folderWith(), 'dead.ndjson');
        const earlier = textOf(lettersOf(before.map((name) => `earlier ${name}`)));
        const letters = lettersOf(given, 8);
        const whole = Buffer.from(textOf(letters));
        const written = whole.subarray(0, cut % (whole.length + 1));
        writeFileSync(path, Buffer.concat([Buffer.from(earlier), written]));
        const file = new LetterFile(path);
        file.recover(letters);
        file.close();
        expect(readFileSync(path, 'utf8')).toBe(earlier + whole.toString());
        expect(file.written).toBe(letters.at(-1)?.id ?? 0);
      }),
      { numRuns: 200 },
    );
  });

  it('may be cut off once more while that is mended', () => {
    const path = join(folderWith(), 'dead.ndjson');
    const letters = lettersOf(['a', 'b', 'c']);
    const whole = textOf(letters);
    for (const cut of [50, 3, 100, 80]) {
      const there = existsSync(path) ? readFileSync(path, 'utf8') : '';
      writeFileSync(path, there.slice(0, cut) || whole.slice(0, cut));
      new LetterFile(path).recover(letters);
      expect(readFileSync(path, 'utf8')).toBe(whole);
    }
  });

  it('is not touched where nothing is left to write', () => {
    const path = join(folderWith(), 'dead.ndjson');
    new LetterFile(path).recover([]);
    expect(existsSync(path)).toBe(false);
  });

  it('keeps what another import has written behind the letters', () => {
    const path = join(folderWith(), 'dead.ndjson');
    const letters = lettersOf(['a', 'b']);
    const other = textOf(lettersOf(['x']));
    writeFileSync(path, other + textOf(letters.slice(0, 1)));
    new LetterFile(path).recover(letters);
    expect(readFileSync(path, 'utf8')).toBe(other + textOf(letters));
  });

  it('that cannot be written counts nothing as written', () => {
    const file = new LetterFile(join(folderWith({ file: '' }), 'file', 'dead.ndjson'));
    expect(() => file.write(lettersOf(['a']))).toThrow(StateError);
    expect(file.written).toBe(0);
  });
});
