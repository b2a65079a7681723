import { describe, expect, it } from 'vitest';
import { writeCall, type CallFields, type CallType } from '../../src/collector/call.js';
import { ValidationError } from '../../src/errors.js';

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
    const { text, bytes, messageId } = writeCall('page', call, now);
    const written = JSON.parse(text);
    expect(written).toEqual({
      type: 'page',
      timestamp: '2026-11-20T08:30:00.000Z',
      messageId: written.messageId,
      ...expected,
    });
    expect(messageId).toBe(String(written.messageId));
    expect(bytes).toBe(Buffer.byteLength(text));
  });

  it.each([undefined, null, ''])('with the messageId %j gets a random one', (messageId) => {
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
    ['not_an_event', 'page', undefined],
    ['not_an_event', 'page', null],
    ['not_an_event', 'page', 'u1'],
    ['missing_event', 'track', user],
    ['event_not_text', 'track', { ...user, event: 1 }],
    ['missing_group_id', 'group', user],
    ['missing_previous_id', 'alias', user],
    ['missing_user_id', 'alias', { previousId: 'p' }],
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
    const room = 32_768 - writeCall('page', call(0), now).bytes;
    expect(codeOf('page', call(room))).toBe('taken');
    expect(codeOf('page', call(room + 1))).toBe('too_large');
  });
});
