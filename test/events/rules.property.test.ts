import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/events/event.js';
import { isProblem } from '../../src/events/event.js';
import { checkMembers } from '../../src/events/rules.js';
import { codeOf, itemOf } from '../helpers/events.js';
import { runs } from '../helpers/property-runs.js';

const at = '2026-11-20T08:30:00Z';
const track = { type: 'track', userId: 'u', event: 'e' };

describe('an event breaks a rule', () => {
  it.each<[string, object]>([
    ['missing_type', { userId: 'u' }],
    ['unknown_type', { type: 'Track', userId: 'u', event: 'e' }],
    ['unknown_type', { type: '', userId: 'u' }],
    ['unknown_type', { type: null, userId: 'u' }],
    ['unknown_type', { type: ['track'], userId: 'u', event: 'e' }],
    ['unknown_type', { type: 'constructor', userId: 'u' }],
    ['missing_user', { type: 'track', event: 'e' }],
    ['missing_user', { type: 'identify', userId: '', anonymousId: null }],
    ['missing_user', { type: 'page', userId: null, anonymousId: '' }],
    ['missing_user', { type: 'screen' }],
    ['missing_user', { type: 'page', userId: ' \t\n', anonymousId: '\u00a0\u2003\u3000\ufeff' }],
    ['missing_user', { type: 'group', groupId: 'g' }],
    ['missing_user_id', { type: 'alias', anonymousId: 'a', previousId: 'p' }],
    ['missing_user_id', { type: 'delete', anonymousId: 'a' }],
    ['missing_user_id', { type: 'delete', userId: '' }],
    ['missing_user_id', { type: 'delete', userId: '  ' }],
    ['missing_previous_id', { type: 'alias', userId: 'u' }],
    ['missing_previous_id', { type: 'alias', userId: 'u', previousId: '' }],
    ['missing_previous_id', { type: 'alias', userId: 'u', previousId: ' ' }],
    ['missing_event', { type: 'track', userId: 'u' }],
    ['missing_event', { ...track, event: '' }],
    ['missing_event', { ...track, event: null }],
    ['event_not_text', { ...track, event: 7 }],
    ['event_not_text', { ...track, event: ['e'] }],
    ['missing_group_id', { type: 'group', userId: 'u' }],
    ['missing_group_id', { type: 'group', userId: 'u', groupId: null }],
    ['missing_group_id', { type: 'group', userId: 'u', groupId: '\u2028' }],
    ['invalid_id', { ...track, userId: {} }],
    ['invalid_id', { ...track, userId: true }],
    ['invalid_id', { ...track, anonymousId: ['a'] }],
    ['invalid_id', { type: 'group', userId: 'u', groupId: false }],
    ['invalid_id', { type: 'alias', userId: 'u', previousId: [] }],
    ['invalid_id', { ...track, messageId: {} }],
    ['message_id_too_long', { ...track, messageId: 'x'.repeat(101) }],
    ['message_id_too_long', { ...track, messageId: '😀'.repeat(101) }],
    ['invalid_timestamp', { ...track, timestamp: '2026-11-20' }],
    ['invalid_timestamp', { ...track, timestamp: null }],
    ['invalid_timestamp', { ...track, timestamp: '' }],
    ['invalid_timestamp', { ...track, timestamp: 1_795_163_400_000 }],
    ...['properties', 'traits', 'context', 'integrations'].flatMap((name) =>
      [null, 'x', 1, true, ['x']].map((value): [string, object] => [
        'not_an_object',
        { ...track, [name]: value },
      ]),
    ),
  ])('%s: %j', (code, event) => {
    const item = itemOf(JSON.stringify(event));
    expect(codeOf(item)).toBe(code);
    expect(item).toMatchObject({ isJson: true, message: expect.stringMatching(/^\S.*[^.]$/) });
  });
});

describe('an event keeps the rules', () => {
  it.each<object>([
    track,
    { type: 'track', anonymousId: 'a', event: 'e' },
    { type: 'track', userId: '', anonymousId: 'a', event: 'e' },
    { type: 'track', userId: ' ', anonymousId: 'a', event: 'e' },
    { type: 'track', userId: 'u', anonymousId: ' ', event: 'e' },
    { type: 'track', userId: ' é ', event: 'e' },
    { type: 'track', userId: 0, event: 'e' },
    { ...track, event: ' ' },
    { type: 'identify', userId: 42, traits: {} },
    { type: 'page', anonymousId: -1.5 },
    { type: 'screen', userId: 'u', name: 'n', category: 'c' },
    { type: 'group', userId: 'u', groupId: 7 },
    { type: 'alias', userId: 'u', previousId: 7 },
    { type: 'delete', userId: 'u' },
    { type: 'delete', userId: 9, timestamp: at },
    { ...track, messageId: 'x'.repeat(100) },
    { ...track, messageId: '😀'.repeat(100) },
    { ...track, messageId: '' },
    { ...track, messageId: ' ' },
    { ...track, messageId: null },
    { ...track, messageId: 12 },
    { ...track, timestamp: at },
    { ...track, properties: [], traits: [], context: [], integrations: [] },
    { ...track, integrations: { All: false, Webhooks: { x: 1 } } },
    { ...track, channel: 'server', sentAt: 'whenever', originalTimestamp: 5 },
  ])('%j', (event) => {
    expect(codeOf(itemOf(JSON.stringify(event)))).toBeUndefined();
  });

  it('of every type, with only what is required', () => {
    const required: Record<string, object> = {
      track: { event: 'e' },
      group: { groupId: 'g' },
      alias: { previousId: 'p' },
    };
    for (const type of eventTypes) {
      const item = itemOf(JSON.stringify({ type, userId: 'u', ...required[type] }));
      expect([type, isProblem(item)]).toEqual([type, false]);
    }
  });
});

it('the fast path agrees with all rules', () => {
  const some = fc.constantFrom<unknown>(...[undefined, null, '', 'u', 7, {}, [], [1], true, at]);
  const members = fc.record({
    type: fc.constantFrom<unknown>(
      'track',
      'page',
      'identify',
      'screen',
      'group',
      'alias',
      'Track',
      1,
    ),
    userId: some,
    anonymousId: some,
    messageId: fc.oneof(some, fc.constantFrom('x'.repeat(100), 'x'.repeat(101))),
    event: some,
    groupId: some,
    timestamp: fc.constantFrom<unknown>(undefined, at, '2026-11-20T08:30:00.000Z', 'then', null),
    properties: some,
    traits: some,
    context: some,
    integrations: some,
  });
  fc.assert(
    fc.property(members, (value) => {
      // An empty previousId breaks only the rule of alias, as an absent one does.
      expect(checkMembers(value)).toEqual(checkMembers({ ...value, previousId: null }));
    }),
    { numRuns: runs(5000) },
  );
});

it('reports only the first broken rule', () => {
  const item = itemOf('{"type":"track","userId":[],"timestamp":"x","properties":1}');
  expect(codeOf(item)).toBe('invalid_id');
});

it('never quotes a value of the event', () => {
  const secret = 'hunter2';
  for (const name of ['type', 'userId', 'messageId', 'timestamp', 'properties', 'event']) {
    const values = [secret, [secret], { [secret]: secret }];
    for (const value of values) {
      const item = itemOf(JSON.stringify({ ...track, [name]: value }));
      if (isProblem(item)) expect(item.message).not.toContain(secret);
    }
  }
});
