import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../src/check/events.js';
import { analytics } from '../../src/check/senders/analytics.js';
import type { EventType } from '../../src/events/event.js';
import { eventTypes } from '../../src/events/event.js';
import { eventFrom } from '../../src/events/given.js';
import { isProblem } from '../../src/events/event.js';
import { stampEvent } from '../../src/events/stamp.js';
import { webhookBody } from '../../src/webhook/body.js';

const kindOf = (type: EventType) => analytics.kinds.find(({ name }) => name === type)!;
const eventOf = (type: EventType, id: string) =>
  checkEvent(analytics, id, { kind: kindOf(type), nowMs: now });

const now = Date.parse('2026-11-20T08:30:00.000Z');

describe('the events of a check', () => {
  it.each(eventTypes)('have the form of a webhook body: %s', (type) => {
    const { body, messageId } = eventOf(type, 'evfwd-check-1-x');
    const members = JSON.parse(body.toString()) as Record<string, unknown>;
    const { 'Previous ID': previousId, 'User ID': newId, ...rest } = members;
    const call = type === 'alias' ? { ...rest, previousId, userId: newId } : rest;
    const event = eventFrom(JSON.stringify(call));
    if (isProblem(event)) throw new Error(event.message);
    const stamp = stampEvent(event, { ids: 'keep', seed: '', now });
    expect(webhookBody(event, stamp).toString()).toBe(body.toString());
    expect(messageId).toBe('evfwd-check-1-x');
  });

  it.each(eventTypes)('carry their marks: %s', (type) => {
    const members = JSON.parse(eventOf(type, 'id').body.toString()) as object;
    expect(members).toMatchObject(
      type === 'alias' ? { 'User ID': 'evfwd-check' } : { userId: 'evfwd-check' },
    );
    if (type !== 'delete') {
      expect(members).toMatchObject({ messageId: 'id', context: { evfwdCheck: true } });
    }
  });

  it('take other members', () => {
    const { body } = checkEvent(analytics, 'id', { content: 'null', members: { extra: 1 } });
    expect(JSON.parse(body.toString())).toMatchObject({
      type: 'track',
      properties: null,
      extra: 1,
    });
  });
});
