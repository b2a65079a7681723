import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRow, identify, messageIdOf, type AudienceName } from '../../src/audience/identify.js';
import type { Event } from '../../src/events/event.js';
import { maxEventBytes } from '../../src/events/rules.js';

const name: AudienceName = { kind: 'trait', property: 'größe', seed: '' };
const at = '2026-11-20T08:30:00.000Z';
const place = { file: 'audience größe/', line: 3 };

function change(user: string, value: string, number = 1) {
  const id = Buffer.from(JSON.stringify(user));
  return { user: Buffer.from(user), id, value: Buffer.from(value), number };
}

describe('the identify of a change', () => {
  it('has id and value byte for byte', () => {
    const id = Buffer.from('"\\u0061"');
    const given = { ...change('a', '{ "n":1.0 ,"m":1e400}'), id };
    const event = identify(name, given, at, place) as Event;
    expect(event.bytes.toString()).toBe(
      `{"type":"identify","messageId":"${messageIdOf(name, given)}","timestamp":"${at}","userId":"\\u0061","traits":{"größe":{ "n":1.0 ,"m":1e400}}}`,
    );
    expect(event.origin).toEqual({ ...place, offset: 3, length: event.bytes.length });
  });

  it('is an event for every user and value that a list can have', () => {
    const users = fc.string({ unit: 'grapheme' }).filter((user) => user.trim() !== '');
    fc.assert(
      fc.property(users, fc.json(), (user, value) => {
        const event = identify(name, change(user, value), at, place) as Event;
        expect(event.value).toMatchObject({ userId: user, traits: { größe: JSON.parse(value) } });
      }),
    );
  });

  it('is checked in advance: a row whose event is one byte too large is refused', () => {
    const sized = (length: number) => change('u', `"${'x'.repeat(length)}"`);
    const { bytes } = identify(name, sized(0), at, place) as Event;
    const room = maxEventBytes - bytes.length;
    expect(checkRow(name.property, sized(room))).toBeUndefined();
    expect(checkRow(name.property, sized(room + 1))?.code).toBe('too_large');
    expect('code' in identify(name, sized(room), at, place)).toBe(false);
  });
});

describe('the messageId of a change', () => {
  const id = (given: Partial<AudienceName>, user = 'u', value = '1', number = 1): string =>
    messageIdOf({ ...name, ...given }, change(user, value, number));

  it('is the same for the same change', () => {
    expect(id({})).toBe(id({}));
    expect(id({})).toMatch(/^evfwd-[0-9a-f]{32}$/);
  });

  it.each([
    ['user', id({}, 'v')],
    ['value', id({}, 'u', '1.0')],
    ['change of the same user', id({}, 'u', '1', 2)],
    ['trait', id({ property: 'other' })],
    ['kind of list', id({ kind: 'sync' })],
    ['start', id({ seed: 'again' })],
  ])('is different for another %s', (_what, other) => {
    expect(other).not.toBe(id({}));
  });
});
