import { describe, expect, it } from 'vitest';
import { sharedRows, Uncommitted } from '../../src/threads/uncommitted.js';

describe('rows that are not on the disk', () => {
  it('are counted over all who share the memory', () => {
    const memory = sharedRows(2);
    const [one, other] = [new Uncommitted(memory), new Uncommitted(memory)];
    one.add(5);
    other.add(7);
    one.add(-3);
    expect([one.rows, other.rows]).toEqual([9, 9]);
  });

  it('make only the first thread ask for a commit, until there was one', () => {
    const memory = sharedRows(2);
    const [one, other] = [new Uncommitted(memory), new Uncommitted(memory)];
    expect([one.hurry(), other.hurry(), one.hurry()]).toEqual([true, false, false]);
    other.hurried();
    expect(other.hurry()).toBe(true);
  });

  it('let each waiting thread be woken once', () => {
    const uncommitted = new Uncommitted(sharedRows(3));
    uncommitted.wait(1);
    const woken = (): boolean[] => [0, 1, 2].map((thread) => uncommitted.takeWaiting(thread));
    expect(woken()).toEqual([false, true, false]);
    expect(woken()).toEqual([false, false, false]);
  });
});
