import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallFields, CallType } from '../../src/collector/call-fields.js';
import { writeCall } from '../../src/collector/call.js';
import { ValidationError } from '../../src/errors.js';
import { runs } from '../helpers/property-runs.js';

const now = Date.parse('2026-11-20T08:30:00.000Z');
const user = { userId: 'u' };

function codeOf(type: CallType, call: unknown): string {
  try {
    writeCall(type, call as CallFields, now);
    return 'taken';
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError);
    return (error as ValidationError).code;
  }
}

function circular(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

function nested(levels: number): object {
  let value: object = {};
  for (let i = 1; i < levels; i++) value = [value];
  return { a: value };
}

describe('a call', () => {
  it.each<[string, CallFields, object]>([
    ['keeps its messageId', { ...user, messageId: 'm' }, { ...user, messageId: 'm' }],
    ['keeps a number as its messageId', { ...user, messageId: 7 }, { ...user, messageId: 7 }],
    ['keeps members of its own', { ...user, channel: 'x' }, { ...user, channel: 'x' }],
    ['cannot set its type', { ...user, type: 'track' }, { ...user, type: 'page' }],
    ['leaves out sentAt', { ...user, sentAt: 'x' }, user],
    ['leaves out what is undefined', { ...user, anonymousId: undefined } as never, user],
    [
      'takes a Date',
      { ...user, timestamp: new Date(0) },
      { ...user, timestamp: '1970-01-01T00:00:00.000Z' },
    ],
    [
      'takes the time as text',
      { ...user, timestamp: '2026-01-01T00:00:00+0200' },
      { ...user, timestamp: '2026-01-01T00:00:00+0200' },
    ],
  ])('%s', (_title, call, expected) => {
    const { text, messageId } = writeCall('page', call, now);
    const written = JSON.parse(text);
    expect(written).toEqual({
      type: 'page',
      timestamp: '2026-11-20T08:30:00.000Z',
      messageId: written.messageId,
      ...expected,
    });
    expect(messageId).toBe(String(written.messageId));
  });

  it.each([undefined, null, '', ' \t'])('with the messageId %j gets a random one', (messageId) => {
    const call = { ...user, messageId } as CallFields;
    const [first, second] = [writeCall('page', call, now), writeCall('page', call, now)];
    expect(first.messageId).toMatch(/^[0-9a-f-]{36}$/);
    expect(first.messageId).not.toBe(second.messageId);
    expect(JSON.parse(first.text).messageId).toBe(first.messageId);
  });
});

describe('a call that breaks a rule is refused at once', () => {
  it.each<[string, CallType, unknown]>([
    ['missing_user', 'track', { event: 'e' }],
    ['missing_user', 'page', {}],
    ['missing_user', 'page', { userId: ' ', anonymousId: '\u00a0' }],
    ['missing_user', 'page', Object.create(user)],
    ['missing_user', 'page', Object.assign(new Map(), { userId: '' })],
    ['taken', 'page', Object.assign(new Map(), user)],
    ['taken', 'page', Object.assign(Object.create(null), user)],
    ['not_an_event', 'page', undefined],
    ['not_an_event', 'page', null],
    ['not_an_event', 'page', 'u1'],
    ['missing_event', 'track', user],
    ['event_not_text', 'track', { ...user, event: 1 }],
    ['missing_group_id', 'group', user],
    ['missing_previous_id', 'alias', user],
    ['missing_user_id', 'alias', { previousId: 'p' }],
    ['missing_user_id', 'alias', { previousId: 'p', anonymousId: 'a' }],
    ['invalid_id', 'page', { userId: {} }],
    ['invalid_id', 'page', { userId: NaN }],
    ['invalid_id', 'page', { ...user, messageId: Infinity }],
    ['invalid_id', 'page', { ...user, messageId: true }],
    ['message_id_too_long', 'page', { ...user, messageId: 'm'.repeat(101) }],
    ['invalid_timestamp', 'page', { ...user, timestamp: 'yesterday' }],
    ['invalid_timestamp', 'page', { ...user, timestamp: new Date(NaN) }],
    ['not_an_object', 'page', { ...user, properties: 'x' }],
    ['not_an_object', 'page', { ...user, properties: new Date(0) }],
    ['not_an_object', 'page', { ...user, context: { toJSON: () => 1 } }],
    ['not_serializable', 'page', { ...user, properties: { n: 1n } }],
    ['not_serializable', 'page', { ...user, properties: circular() }],
    ['too_deep', 'page', { ...user, properties: nested(199) }],
    ['too_deep', 'page', { ...user, properties: nested(10_000) }],
    ['too_large', 'page', { ...user, properties: { text: 'é'.repeat(16_384) } }],
    ['taken', 'page', { ...user, properties: nested(198) }],
    ['taken', 'page', { ...user, properties: { text: '[{'.repeat(500) } }],
    ['taken', 'page', { ...user, properties: [] }],
    [
      'taken',
      'page',
      {
        ...user,
        properties: new (class {
          plan = 'pro';
        })(),
      },
    ],
  ])('%s: %s %#', (code, type, call) => {
    expect(codeOf(type, call)).toBe(code);
  });

  it('too_deep or too_large: whether such a call can be written at all is up to Node', () => {
    const code = codeOf('page', { ...user, properties: nested(100_000) });
    expect(['too_deep', 'too_large']).toContain(code);
  });

  it('says which limit it is past by a byte', () => {
    const call = (length: number) => ({
      ...user,
      messageId: 'm',
      properties: { text: 'x'.repeat(length) },
    });
    const room = 32_768 - Buffer.byteLength(writeCall('page', call(0), now).text);
    expect(codeOf('page', call(room))).toBe('taken');
    expect(codeOf('page', call(room + 1))).toBe('too_large');
  });
});

/** Values of all kinds that a caller without types may give. */
const ids = [undefined, 'i', 'é', '', ' ', null, 7, NaN, true, {}, 'i'.repeat(101)];
const maps = [
  ...[undefined, {}, { a: ['"é\u2028', null, undefined, 1.5] }, Object.create(null)],
  ...[{ toJSON: () => ({ a: 1 }) }, [], [1], new Date(0), new Map([[1, 2]]), null, 'x', 7],
  ...[{ deep: nested(190) }, nested(210), { big: 'é'.repeat(17_000) }, { n: 1n }],
];
const oddities: Record<string, readonly unknown[]> = {
  ...{ userId: ids, anonymousId: ids, groupId: ids, previousId: ids, messageId: ids },
  ...{ properties: maps, traits: maps, context: maps, integrations: maps },
  event: ['e', '\u{1f600}', '', null, undefined, 1],
  type: [undefined, 'page', null],
  sentAt: [undefined, '2026-11-20T08:30:00Z'],
  toJSON: [undefined, 1, () => 'x'],
  other: ['x', undefined, { toJSON: () => 1 }],
};
const oddity = fc.constantFrom(
  ...Object.entries(oddities).flatMap(([name, values]) => values.map((value) => [name, value])),
);
const types = fc.constantFrom<CallType>('identify', 'track', 'page', 'screen', 'group', 'alias');

function usualCall(type: CallType): object {
  return {
    ...{ userId: 'u', event: 'e', properties: { a: 1 } },
    ...(type === 'group' && { groupId: 'g' }),
    ...(type === 'alias' && { previousId: 'p' }),
  };
}

it('a call without a timestamp is judged and written as one that gives the same', () => {
  const timestamp = new Date(now).toISOString();
  const numRuns = runs(3_000);
  let taken = 0;
  const judged = (type: CallType, call: object): unknown => {
    const code = codeOf(type, call);
    if (code !== 'taken') return code;
    taken++;
    const { text, messageId } = writeCall(type, call as CallFields, now);
    const { messageId: written, ...members } = JSON.parse(text);
    expect(messageId).toBe(String(written));
    const isGiven = 'messageId' in call && call.messageId && call.messageId !== ' ';
    return isGiven ? { ...members, messageId } : members;
  };
  fc.assert(
    fc.property(types, fc.array(oddity, { maxLength: 3 }), (type, odd) => {
      const call = { ...usualCall(type), ...Object.fromEntries(odd) };
      expect(judged(type, call)).toEqual(judged(type, { ...call, timestamp }));
    }),
    { numRuns },
  );
  expect(taken).toBeGreaterThan(numRuns / 3);
});
