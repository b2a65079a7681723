import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem, type Event } from '../../src/events/event.js';
import { findMember, scanMembers } from '../../src/json/members.js';
import { parseLine } from '../../src/events/parse.js';
import { detachEvent, noted } from '../../src/events/text-event.js';
import { eventText } from '../helpers/event-text.js';
import { eventOf, itemOf, place } from '../helpers/events.js';
import { runs } from '../helpers/property-runs.js';

const names = ['type', 'userId', 'messageId', 'properties', 'integrations'] as const;

/** Everything that an event finds in its text. */
function found(event: Event) {
  const { type, value, members } = event;
  return { type, value, members, places: names.map((name) => event.find(name)) };
}

describe('an event', () => {
  it('agrees with its text, before and after release', () => {
    fc.assert(
      fc.property(eventText, (text) => {
        const event = itemOf(text);
        fc.pre(!isProblem(event));
        const { members } = scanMembers(event.bytes);
        const places = names.map((name) => findMember(members, name));
        const value = JSON.parse(text) as Event['value'];
        const expected = { type: value.type, value, members, places };
        const before = names.map((name) => event.find(name));
        expect([before, found(event)]).toEqual([places, expected]);
        event.release();
        expect(found(event)).toEqual(expected);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is found in part of a larger buffer', () => {
    const text = '{"type":"page","userId":"u","name":"n"}';
    const bytes = Buffer.from(`${text}${text}`).subarray(text.length);
    expect(found(parseLine(bytes, place()) as Event)).toEqual(found(eventOf(text)));
  });

  it('is parsed once, until release', () => {
    const event = eventOf();
    const { value, members } = event;
    expect([event.value === value, event.members === members]).toEqual([true, true]);
    event.release();
    expect(event.value).not.toBe(value);
  });
});

describe('a copy of an event', () => {
  it('is equal, in memory of its own', () => {
    const event = noted(eventOf({ messageId: 'm' }), { givenId: 'g', part: 2 });
    const copy = detachEvent(event);
    expect(copy.bytes.buffer).not.toBe(event.bytes.buffer);
    expect([copy, found(copy)]).toEqual([event, found(event)]);
  });
});
