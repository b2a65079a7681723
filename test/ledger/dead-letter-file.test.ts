import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StateError } from '../../src/errors.js';
import { DeadLetterFile } from '../../src/ledger/dead-letter-file.js';
import type { StoredDeadLetter } from '../../src/ledger/store.js';
import { folderWith } from '../helpers/folder.js';

/** `offset`: of the first one in the file; null where the file could not be looked at. */
function deadLettersOf(
  names: readonly string[],
  firstId = 1,
  offset: number | null = 0,
): StoredDeadLetter[] {
  let at = offset;
  return names.map((name, i) => {
    const line = Buffer.from(`{"type":"dead-letter","message":"${name}"}\n`);
    const deadLetter = { id: firstId + i, line, offset: at };
    if (at !== null) at += line.length;
    return deadLetter;
  });
}

function textOf(deadLetters: readonly { line: Buffer }[]): string {
  return Buffer.concat(deadLetters.map(({ line }) => line)).toString();
}

describe('a dead-letter file', () => {
  it('has each dead letter once, wherever a write was interrupted', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'a longer one', 'é'), { maxLength: 5 });
    fc.assert(
      fc.property(names, names, fc.nat(), fc.boolean(), (before, given, cut, isUnknown) => {
        const path = join(folderWith(), 'dead.ndjson');
        const earlier = textOf(deadLettersOf(before.map((name) => `earlier ${name}`)));
        const deadLetters = deadLettersOf(given, 8, isUnknown ? null : Buffer.byteLength(earlier));
        const whole = Buffer.from(textOf(deadLetters));
        const written = whole.subarray(0, cut % (whole.length + 1));
        writeFileSync(path, Buffer.concat([Buffer.from(earlier), written]));
        const file = new DeadLetterFile(path);
        file.recover(deadLetters);
        file.close();
        expect(readFileSync(path, 'utf8')).toBe(earlier + whole.toString());
        expect(file.written).toBe(deadLetters.at(-1)?.id ?? 0);
      }),
      { numRuns: 200 },
    );
  });

  it('has each dead letter once, whichever parts of a write a power cut has left', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'a longer one'), {
      minLength: 1,
      maxLength: 12,
    });
    const parts = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(names, fc.nat({ max: 3 }), parts, (given, earlierCount, isThere) => {
        const path = join(folderWith(), 'dead.ndjson');
        const earlier = textOf(deadLettersOf(Array<string>(earlierCount).fill('earlier')));
        const deadLetters = deadLettersOf(given, 8, earlier.length);
        const whole = textOf(deadLetters);
        const partBytes = 16;
        const found = Buffer.alloc(whole.length);
        let end = 0;
        for (let from = 0; from < whole.length; from += partBytes) {
          if (isThere[(from / partBytes) % isThere.length] !== true) continue;
          end = from + found.write(whole.slice(from, from + partBytes), from, 'latin1');
        }
        writeFileSync(path, Buffer.concat([Buffer.from(earlier), found.subarray(0, end)]));
        const file = new DeadLetterFile(path);
        file.recover(deadLetters);
        file.close();
        expect(readFileSync(path, 'utf8')).toBe(earlier + whole);
      }),
      { numRuns: 300 },
    );
  });

  it('may be truncated again during recovery', () => {
    const path = join(folderWith(), 'dead.ndjson');
    const deadLetters = deadLettersOf(['a', 'b', 'c']);
    const whole = textOf(deadLetters);
    for (const cut of [50, 3, 100, 80]) {
      const there = existsSync(path) ? readFileSync(path, 'utf8') : '';
      writeFileSync(path, there.slice(0, cut) || whole.slice(0, cut));
      new DeadLetterFile(path).recover(deadLetters);
      expect(readFileSync(path, 'utf8')).toBe(whole);
    }
  });

  it('is not created when nothing is left to write', () => {
    const path = join(folderWith(), 'dead.ndjson');
    new DeadLetterFile(path).recover([]);
    expect(existsSync(path)).toBe(false);
  });

  it('has each dead letter once, also if another import has written to it since the crash', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'a longer one', 'é'), { minLength: 1 });
    fc.assert(
      fc.property(names, names, fc.nat(), (given, others, cut) => {
        const path = join(folderWith(), 'dead.ndjson');
        const first = textOf(deadLettersOf(['first']));
        const deadLetters = deadLettersOf(given, 1, first.length);
        const whole = Buffer.from(textOf(deadLetters));
        const written = whole.subarray(0, cut % (whole.length + 1));
        writeFileSync(path, Buffer.concat([Buffer.from(first), written]));
        const other = new DeadLetterFile(path);
        other.write(deadLettersOf(others.map((name) => `other ${name}`)));
        other.close();
        const between = readFileSync(path);
        const file = new DeadLetterFile(path);
        file.recover(deadLetters);
        file.close();
        const text = readFileSync(path);
        expect(text.subarray(0, between.length).equals(between)).toBe(true);
        const lines = text.toString().split('\n').filter(isJson);
        const count = (name: string) => lines.filter((line) => line.includes(`"${name}"`)).length;
        for (const name of [...given, ...others.map((other) => `other ${other}`)]) {
          const all = [...given, ...others.map((other) => `other ${other}`)];
          expect(count(name)).toBe(all.filter((each) => each === name).length);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('has the offset of the next dead letter, also after a truncated line', () => {
    const folder = folderWith({ torn: '{"x"', whole: '{}\n' });
    const endOf = (name: string) => new DeadLetterFile(join(folder, name)).end();
    expect(['torn', 'whole', 'missing', 'missing/below', '.'].map(endOf)).toEqual([
      5,
      3,
      0,
      0,
      undefined,
    ]);
  });

  it('keeps the lines of another import', () => {
    const path = join(folderWith(), 'dead.ndjson');
    const other = textOf(deadLettersOf(['x']));
    const deadLetters = deadLettersOf(['a', 'b'], 1, other.length);
    writeFileSync(path, other + textOf(deadLetters.slice(0, 1)));
    new DeadLetterFile(path).recover(deadLetters);
    expect(readFileSync(path, 'utf8')).toBe(other + textOf(deadLetters));
  });

  it('that cannot be written counts nothing as written', () => {
    const file = new DeadLetterFile(join(folderWith({ file: '' }), 'file', 'dead.ndjson'));
    expect(() => file.write(deadLettersOf(['a']))).toThrow(StateError);
    expect(file.written).toBe(0);
  });
});

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
