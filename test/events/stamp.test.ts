import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/events/event.js';
import { stampEvent, stampFresh, type IdPolicy } from '../../src/events/stamp.js';
import { noted } from '../../src/events/text-event.js';
import { eventOf } from '../helpers/events.js';

const now = Date.parse('2026-11-20T08:30:00.000Z');
const derived = /^evfwd-[0-9a-f]{32}$/;

function idOf(event: Event, ids: IdPolicy = 'keep', seed = 'seed'): string {
  return stampEvent(event, { ids, seed, now }).messageId;
}

const own = { messageId: 'own' };

describe('the messageId', () => {
  it.each<
    [IdPolicy, string, Record<string, unknown>, string | undefined, string | RegExp, boolean]
  >([
    ['keep', 'an own id', own, undefined, 'own', false],
    ['keep', 'an own number', { messageId: 12 }, undefined, '12', false],
    ['keep', 'an empty id', { messageId: '' }, undefined, derived, true],
    ['keep', 'a blank id', { messageId: ' \u00a0' }, undefined, derived, true],
    ['keep', 'a null id', { messageId: null }, undefined, derived, true],
    ['keep', 'no id', {}, undefined, derived, true],
    ['keep', 'no id, but one given', {}, 'given', 'given', true],
    ['keep', 'an own id and one given', own, 'given', 'given', true],
    ['keep', 'an own id and the same given', own, 'own', 'own', false],
    ['derive', 'an own id', own, undefined, derived, true],
    ['derive', 'no id', {}, undefined, derived, true],
    ['derive', 'an own id and one given', own, 'given', 'given', true],
    ['new', 'an own id', own, undefined, derived, true],
    ['new', 'no id', {}, undefined, derived, true],
    ['new', 'an own id and one given', own, 'given', derived, true],
  ])('%s, with %s', (ids, _, members, givenId, expected, writes) => {
    const event = noted(eventOf(members), { givenId });
    const stamp = stampEvent(event, { ids, seed: 'seed', now });
    if (typeof expected === 'string') expect(stamp.messageId).toBe(expected);
    else expect(stamp.messageId).toMatch(expected);
    expect(stamp.writesMessageId).toBe(writes);
  });
});

describe('a derived id', () => {
  const text = '{"type":"track","userId":"u1","event":"Opened"}';
  const origin = { file: 'data/may.ndjson', line: 3, offset: 100, length: 47 };
  const id = idOf(eventOf(text, origin));

  it('is the same on every run and every machine', () => {
    expect(id).toBe('evfwd-3b1281d62e7c61c32b97bea7168b0d5b');
  });

  it.each([
    ['another folder', text, { file: '/elsewhere/may.ndjson' }],
    ['another number of the line', text, { line: 9 }],
    ['space around the event', ` ${text}\r`, { length: 49 }],
  ])('does not depend on %s', (_, line, change) => {
    expect(idOf(eventOf(line, { ...origin, ...change }))).toBe(id);
  });

  it.each([
    ['the bytes', text.replace(':"u1"', ': "u1"'), {}],
    ['the offset', text, { offset: 101 }],
    ['the base name', text, { file: 'data/june.ndjson' }],
  ])('depends on %s', (_, line, change) => {
    const other = idOf(eventOf(line, { ...origin, ...change }));
    expect(other).toMatch(derived);
    expect(other).not.toBe(id);
  });

  it('depends on the part, if a line became several events; the first has the id of the line', () => {
    const event = eventOf(text, origin);
    expect(idOf(noted(event, { part: 0 }))).toBe(id);
    expect(idOf(noted(event, { part: 1 }))).not.toBe(id);
  });

  it('does not depend on the run, while a new one does', () => {
    const event = eventOf(text, origin);
    expect(idOf(event, 'derive', 'one')).toBe(idOf(event, 'keep', 'two'));
    expect(idOf(event, 'new', 'one')).toBe(idOf(event, 'new', 'one'));
    expect(idOf(event, 'new', 'one')).not.toBe(idOf(event, 'new', 'two'));
    expect(idOf(event, 'new', 'one')).not.toBe(id);
  });
});

describe('the timestamp', () => {
  it('is added in UTC with milliseconds if the event has none', () => {
    expect(stampEvent(eventOf(), { ids: 'keep', seed: '', now }).timestamp).toBe(
      '2026-11-20T08:30:00.000Z',
    );
  });

  it('of the event is kept', () => {
    const event = eventOf({ timestamp: '2020-01-01T00:00:00+0200' });
    expect(stampEvent(event, { ids: 'new', seed: '', now })).not.toHaveProperty('timestamp');
  });
});

describe('the originalTimestamp', () => {
  const stampOf = (members: Record<string, unknown>) =>
    stampEvent(eventOf(members), { ids: 'keep', seed: '', now }).timestamp;

  it('is the time of an event that has no timestamp, unchanged', () => {
    const original = '2020-01-01T00:00:00+0200';
    expect(stampOf({ originalTimestamp: original })).toBe(original);
  });

  it.each([5, null, 'yesterday', '2020-01-01'])('is ignored if it is not a time: %j', (value) => {
    expect(stampOf({ originalTimestamp: value })).toBe('2026-11-20T08:30:00.000Z');
  });

  it('does not replace a timestamp', () => {
    const times = { timestamp: '2021-01-01T00:00:00Z', originalTimestamp: '2020-01-01T00:00:00Z' };
    expect(stampOf(times)).toBeUndefined();
  });
});

describe('an event that is created now', () => {
  it('keeps its own id', () => {
    expect(stampFresh(eventOf(own), now).messageId).toBe('own');
  });

  it('gets another id each time without one', () => {
    const event = eventOf();
    expect(stampFresh(event, now).messageId).not.toBe(stampFresh(event, now).messageId);
  });
});
