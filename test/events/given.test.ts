import { describe, expect, it } from 'vitest';
import { eventFrom } from '../../src/events/given.js';
import { codeOf, eventOf, trackWith } from '../helpers/events.js';

const text = trackWith('[1e400,-0]');

describe('an event from a caller of the library', () => {
  it('that was read is kept unchanged', () => {
    const event = eventOf(text);
    expect(eventFrom(event)).toBe(event);
  });

  it.each([
    ['text', ` ${text}\n`],
    ['bytes', Buffer.from(text)],
    ['a part of an array', new Uint8Array(Buffer.from(`xx${text}xx`)).subarray(2, -2)],
  ])('as %s keeps its bytes', (_, given) => {
    expect(eventFrom(given).bytes.toString()).toBe(text);
  });

  it('as bytes is copied, since the caller may reuse them', () => {
    const bytes = Buffer.from(text);
    const event = eventFrom(bytes);
    bytes.fill(0);
    expect(event.bytes.toString()).toBe(text);
  });

  it('as a value is written as JSON', () => {
    const value = { type: 'track', userId: 1, event: 'é', timestamp: new Date(0), none: undefined };
    expect(eventFrom(value).bytes.toString()).toBe(JSON.stringify(value));
  });

  it.each([
    ['not an event', {}, 'missing_type'],
    ['not JSON', 'oops', 'not_json'],
    ['no text', '', 'not_json'],
    ['not UTF-8', Uint8Array.of(0x7b, 0xff), 'not_utf8'],
    ['a dead letter', `{"type":"dead-letter","event":${text}}`, 'unknown_type'],
    ['a BigInt', { type: 'track', userId: 1n }, 'not_serializable'],
    ['a circular reference', ring(), 'not_serializable'],
    ['a toJSON that throws', { toJSON: () => nothing.x }, 'not_serializable'],
  ])('that is %s is a problem, never an error', (_, given, code) => {
    expect(codeOf(eventFrom(given))).toBe(code);
  });
});

const nothing = undefined as unknown as { x: number };

function ring(): Record<string, unknown> {
  const value: Record<string, unknown> = { type: 'track' };
  return Object.assign(value, { value });
}
