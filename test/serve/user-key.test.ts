import { describe, expect, it } from 'vitest';
import { userKeyOf } from '../../src/serve/user-key.js';
import { eventOf } from '../../src/serve/store/stored.js';

const keyOf = (ids: Record<string, unknown>): string | undefined =>
  userKeyOf(eventOf(Buffer.from(JSON.stringify({ type: 'track', ...ids })), 'test'));

describe('the user of an event', () => {
  it('is its userId, whatever its anonymousId', () => {
    expect(keyOf({ userId: 'u1', anonymousId: 'a1' })).toBe(keyOf({ userId: 'u1' }));
    expect(keyOf({ userId: 'u1' })).not.toBe(keyOf({ userId: 'u2' }));
  });

  it('is its anonymousId without a userId, and that is never a userId', () => {
    for (const userId of ['', '  ', null]) {
      expect(keyOf({ userId, anonymousId: 'x' })).toBe(keyOf({ userId: null, anonymousId: 'x' }));
    }
    expect(keyOf({ userId: null, anonymousId: 'x' })).not.toBe(keyOf({ userId: 'x' }));
  });

  it('is the same for a number and its text', () => {
    expect(keyOf({ userId: 42 })).toBe(keyOf({ userId: '42' }));
  });

  it('is none without either', () => {
    expect(keyOf({ userId: null, anonymousId: '' })).toBeUndefined();
  });
});
