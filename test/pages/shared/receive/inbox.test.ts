import { describe, expect, it } from 'vitest';
import type { RequestRow } from '../../../../src/api/listen.js';
import { Inbox } from '../../../../pages/shared/receive/inbox.js';
import { rows, sequencesOf } from '../../listen/rows.js';

/** An inbox whose frames the test draws. */
function inboxWithFrames(maxWaiting = 100) {
  const delivered: number[][] = [];
  const held: number[] = [];
  const frames: (() => void)[] = [];
  const inbox = new Inbox<RequestRow>({
    deliver: (batch) => delivered.push(sequencesOf(batch)),
    onHeld: (count) => held.push(count),
    maxWaiting,
    nextFrame: (callback) => frames.push(callback),
  });
  return { inbox, delivered, held, draw: () => frames.splice(0).forEach((frame) => frame()) };
}

describe('Inbox', () => {
  it('hands on once a frame all that came since the last one', () => {
    const { inbox, delivered, draw } = inboxWithFrames();
    inbox.push(rows(2));
    inbox.push(rows(1, 3));
    expect(delivered).toEqual([]);
    draw();
    inbox.push(rows(1, 4));
    draw();
    draw();
    expect(delivered).toEqual([[1, 2, 3], [4]]);
  });

  it('hands on nothing while it is held, and all of it afterwards', () => {
    const { inbox, delivered, held, draw } = inboxWithFrames();
    inbox.hold();
    inbox.push(rows(2));
    draw();
    inbox.push(rows(3, 3));
    draw();
    expect([delivered, held.at(-1)]).toEqual([[], 5]);
    inbox.release();
    draw();
    expect(delivered).toEqual([[1, 2, 3, 4, 5]]);
  });

  it('keeps no more than the newest while nobody looks', () => {
    const { inbox, delivered, draw } = inboxWithFrames(10);
    for (let i = 0; i < 50; i++) inbox.push(rows(3, 1 + i * 3));
    draw();
    expect(delivered).toEqual([sequencesOf(rows(10, 141))]);
  });

  it('can be emptied', () => {
    const { inbox, delivered, draw } = inboxWithFrames();
    inbox.push(rows(2));
    inbox.empty();
    draw();
    expect(delivered).toEqual([[]]);
  });
});
