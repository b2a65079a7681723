import { describe, expect, it } from 'vitest';
import { builtHere, eventTypes } from '../../src/events/event.js';
import { history, historyLength } from '../../src/events/history.js';
import { parseLine } from '../../src/events/parse.js';

const lines = [...history()];
const events = lines.map((line) => JSON.parse(line) as Call);

describe('the sample history', () => {
  it('has 1,000 lines of 120 users, the same each time', () => {
    expect(historyLength).toBe(1000);
    expect(lines).toHaveLength(1000);
    expect(new Set(events.map(({ userId }) => userId)).size).toBe(120 + 1);
    expect([...history()]).toEqual(lines);
  });

  it('has every type of call but the deletion notice, and each messageId once', () => {
    const types = new Set(events.map(({ type }) => type));
    expect([...types].sort()).toEqual(eventTypes.filter((type) => type !== 'delete').sort());
    expect(new Set(events.map(({ messageId }) => messageId)).size).toBe(1000);
  });

  it('goes through thirty days, in order', () => {
    const times = events.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
    expect(times[0]! >= '2026-10-02T00:00:00.000Z').toBe(true);
    expect(times.at(-1)! < '2026-11-01T00:00:00.000Z').toBe(true);
    expect(new Set(times.map((time) => time.slice(0, 10))).size).toBe(30);
  });

  it('has valid events', () => {
    for (const [index, event] of events.entries()) {
      expect(parseLine(Buffer.from(lines[index]!), builtHere('history', 0))).not.toHaveProperty(
        'code',
      );
      expect(event.timestamp).toMatch(/^2026-1\d-\d\dT[\d:]{8}\.\d{3}Z$/);
      expect(event.context).toMatchObject({
        ip: expect.any(String),
        userAgent: expect.any(String),
      });
      expect(event).toMatchObject(required[event.type]!);
    }
  });

  it('leads each user from anonymous views over alias and identify to calls with a userId', () => {
    for (const alias of events.filter(({ type }) => type === 'alias')) {
      const { userId, previousId } = alias;
      const own = events.filter((e) => e.userId === userId || e.anonymousId === previousId);
      const at = own.indexOf(alias);
      expect(at).toBeGreaterThan(0);
      expect(own.slice(0, at).every((e) => !e.userId && /page|screen/.test(e.type))).toBe(true);
      expect(own[at + 1]!.type).toBe('identify');
      expect(own.length).toBeGreaterThan(at + 2);
      expect(
        own.slice(at).every((e) => e.userId === userId && e.timestamp > own[at - 1]!.timestamp),
      ).toBe(true);
    }
  });
});

const required: Record<string, object> = {
  identify: { userId: expect.any(String), traits: expect.any(Object) },
  track: { userId: expect.any(String), event: expect.any(String), properties: expect.any(Object) },
  page: {
    anonymousId: expect.any(String),
    name: expect.any(String),
    properties: expect.any(Object),
  },
  screen: {
    anonymousId: expect.any(String),
    name: expect.any(String),
    properties: expect.any(Object),
  },
  group: { userId: expect.any(String), groupId: expect.any(String), traits: expect.any(Object) },
  alias: { userId: expect.any(String), previousId: expect.any(String) },
};

interface Call {
  type: string;
  messageId: string;
  timestamp: string;
  userId?: string;
  anonymousId?: string;
  previousId?: string;
  context: object;
}
