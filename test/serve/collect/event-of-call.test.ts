import { describe, expect, it } from 'vitest';
import { Document } from '../../../src/serve/collect/document.js';
import { openBatch } from '../../../src/serve/collect/envelope.js';
import { eventOfCall, isRejected } from '../../../src/serve/collect/event-of-call.js';
import type { Accepted, Rejected } from '../../../src/serve/types.js';
import type { Event } from '../../../src/events/event.js';
import { scanMembers } from '../../../src/json/members.js';
import { parseEvent } from '../../../src/events/parse.js';
import { bodyOf, startedAt } from './collecting.js';

const id = '"type":"track","event":"e","userId":"u"';
const origin = { file: 'web', line: 1, offset: 0, length: 0 };

/** Judges the calls of a batch that has further members. */
function verdictsOf(calls: string, more = ''): (Accepted | Rejected)[] {
  const envelope = openBatch(new Document(Buffer.from(`{"batch":[${calls}]${more}}`)));
  return envelope.calls.map((call, i) =>
    eventOfCall(call, {
      envelope,
      type: undefined,
      receivedAt: startedAt,
      origin: { ...origin, line: i + 1 },
    }),
  );
}

function taken(call: string, more = ''): Accepted {
  const [verdict] = verdictsOf(call, more);
  if (isRejected(verdict!)) throw new Error(`${verdict.code}: ${verdict.message}`);
  return verdict!;
}

function depthOf({ bytes }: Event): number {
  return scanMembers(bytes).depth;
}

function textOf(call: string, more = ''): string {
  return taken(call, more).event.bytes.toString();
}

function codeOf(call: string): string | undefined {
  const [verdict] = verdictsOf(call);
  return isRejected(verdict!) ? verdict.code : undefined;
}

describe('the text of a call', () => {
  it.each([
    ['as it is', `{${id}}`, `{${id}}`],
    [
      'with its numbers, order and escapes',
      `{"properties":{"a":9007199254740993,"b":1.0,"c":"\\u00fc\\/","c":-0,"d":1e400},${id}}`,
      `{"properties":{"a":9007199254740993,"b":1.0,"c":"\\u00fc\\/","c":-0,"d":1e400},${id}}`,
    ],
    [
      'with members that nobody knows',
      `{${id},"_metadata":{"x":[]},"channel":"s","options":{}}`,
      `{${id},"_metadata":{"x":[]},"channel":"s","options":{}}`,
    ],
    [
      'byte for byte',
      ` { ${id} , "context" : {"a" : [ 1 ]} } `,
      `{ ${id} , "context" : {"a" : [ 1 ]} }`,
    ],
    ['without writeKey and sentAt', `{"sentAt":"x",${id},"writeKey":"k"}`, `{${id}}`],
    ['without them in escapes', `{"s\\u0065ntAt":1,${id},"\\u0077riteKey":2}`, `{${id}}`],
    ['without null for a map', `{"traits":null,${id},"properties":null,"context":null}`, `{${id}}`],
    [
      'with empty arrays for maps',
      `{${id},"properties":[],"context":[]}`,
      `{${id},"properties":[],"context":[]}`,
    ],
    ['with a null id', `{${id},"anonymousId":null}`, `{${id},"anonymousId":null}`],
    ['with a __proto__', `{${id},"__proto__":{"a":1}}`, `{${id},"__proto__":{"a":1}}`],
  ])('is taken %s', (_title, call, expected) => {
    expect(textOf(call)).toBe(expected);
  });

  it.each([
    ['under none', `{${id}}`, '{"a":1}', `{${id},"context":{"a":1}}`],
    ['under null', `{"context":null,${id}}`, '{"a":1}', `{"context":{"a":1},${id}}`],
    ['under an empty array', `{"context":[],${id}}`, '{"a":1}', `{"context":{"a":1},${id}}`],
    [
      'under its own',
      `{"context":{"b":{"x":1}},${id}}`,
      '{"b":{"y":2}}',
      `{"context":{"b":{"x":1,"y":2}},${id}}`,
    ],
    ['when it is empty', `{${id}}`, '{}', `{${id}}`],
    ['when it is an empty array', `{${id}}`, '[]', `{${id}}`],
    ['when it is null', `{${id}}`, 'null', `{${id}}`],
    ['when it is a text', `{${id}}`, '"x"', `{${id}}`],
  ])('gets the context of its batch %s', (_title, call, context, expected) => {
    expect(textOf(call, `,"context":${context}`)).toBe(expected);
    const asIntegrations = (text: string) => text.replace('"context"', '"integrations"');
    expect(textOf(asIntegrations(call), `,"integrations":${context}`)).toBe(
      asIntegrations(expected),
    );
  });

  it('gets the last context of its batch when it is duplicated', () => {
    expect(textOf(`{${id}}`, ',"context":{"a":1},"context":{"b":2}')).toBe(
      `{${id},"context":{"b":2}}`,
    );
  });
});

describe('a call is rejected', () => {
  it.each([
    ['not_an_event', '7'],
    ['not_an_event', 'null'],
    ['not_an_event', '[]'],
    ['missing_type', '{"userId":"u"}'],
    ['unknown_type', '{"type":"Track","userId":"u"}'],
    ['delete_not_collected', '{"type":"delete","userId":"u"}'],
    ['missing_user', '{"type":"page","userId":null,"anonymousId":""}'],
    ['missing_user', '{"type":"page","userId":" ","anonymousId":"\\t\u00a0"}'],
    ['missing_user', '{"type":"group","groupId":"g"}'],
    ['missing_previous_id', '{"type":"alias","userId":"u"}'],
    ['missing_user_id', '{"type":"alias","previousId":"u"}'],
    ['missing_event', '{"type":"track","userId":"u"}'],
    ['event_not_text', '{"type":"track","userId":"u","event":7}'],
    ['missing_group_id', '{"type":"group","userId":"u"}'],
    ['invalid_id', `{${id},"anonymousId":{}}`],
    ['invalid_id', `{${id},"messageId":true}`],
    ['message_id_too_long', `{${id},"messageId":"${'x'.repeat(101)}"}`],
    ['not_an_object', `{${id},"properties":"x"}`],
    ['not_an_object', `{${id},"context":[1]}`],
    ['repeated_member', `{${id},"userId":"v"}`],
    ['too_deep', `{${id},"properties":{"a":${'['.repeat(199)}${']'.repeat(199)}}}`],
    ['too_deep', `{${id},"properties":{"a":${'['.repeat(15_000)}${']'.repeat(15_000)}}}`],
    ['too_large', `{${id},"properties":{"a":"${'x'.repeat(32_768)}"}}`],
  ])('%s: %.60s', (code, call) => {
    expect(codeOf(call)).toBe(code);
  });

  it.each(['{"userId":"u"}', '{"type":"Track","userId":"u"}'])(
    'and a message about its type offers no delete: %s',
    (call) => {
      const [verdict] = verdictsOf(call);
      expect(isRejected(verdict!) && verdict.message).toMatch(
        /^type (is missing; it )?must be one of identify, track, page, screen, group, alias$/,
      );
    },
  );

  it('and the others are accepted, in their order', () => {
    const verdicts = verdictsOf(`{${id},"messageId":"1"},{},{${id},"messageId":"2"},[]`);
    expect(
      verdicts.map((verdict) => (isRejected(verdict) ? verdict.code : verdict.stamp.messageId)),
    ).toEqual(['1', 'missing_type', '2', 'not_an_event']);
  });
});

describe('the limit of an event', () => {
  const padding = (bytes: number) => 'x'.repeat(bytes - `{${id},"properties":{"a":""}}`.length);

  it('applies to its own text, without transport members and batch context', () => {
    const call = `{${id},"properties":{"a":"${padding(32_768)}"}}`;
    expect(Buffer.byteLength(call)).toBe(32_768);
    const context = ',"context":{"library":{"name":"java","version":"3.5"}}';
    const { event } = taken(call.replace('{', '{"writeKey":"k","sentAt":"2026",'), context);
    expect(event.bytes.length).toBeGreaterThan(32_768);
    expect(event.value.context).toEqual({ library: { name: 'java', version: '3.5' } });
    expect(codeOf(call.replace('"a":"', '"a":"x'))).toBe('too_large');
  });

  it('also applies to nesting: 200 levels are accepted', () => {
    const nested = `{"a":${'['.repeat(198)}${']'.repeat(198)}}`;
    expect(depthOf(taken(`{${id},"properties":${nested}}`).event)).toBe(200);
    const { event } = taken(
      `{${id},"context":${nested}}`,
      `,"context":${nested.replace('a', 'b')}`,
    );
    expect(depthOf(event)).toBe(200);
  });
});

it('merges up to the maximum nesting', () => {
  const nested = (leaf: string) => `${'{"a":'.repeat(198)}${leaf}${'}'.repeat(198)}`;
  const { event } = taken(
    `{${id},"context":${nested('{"x":1}')}}`,
    `,"context":${nested('{"y":2}')}`,
  );
  expect(event.bytes.toString()).toContain('{"x":1,"y":2}');
});

describe('the messageId', () => {
  it.each([
    ['"m-1"', 'm-1', false],
    ['7', '7', false],
    ['9007199254740993', '9007199254740993', false],
    ['" m "', ' m ', false],
  ])('%s is its own', (text, expected, isWritten) => {
    const { stamp } = taken(`{${id},"messageId":${text}}`);
    expect([stamp.messageId, stamp.writesMessageId]).toEqual([expected, isWritten]);
  });

  it.each([
    `{${id}}`,
    `{${id},"messageId":null}`,
    `{${id},"messageId":""}`,
    `{${id},"messageId":"  "}`,
  ])('of %s is made', (call) => {
    const first = taken(call);
    expect(first.stamp.messageId).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(bodyOf(first).messageId).toBe(first.stamp.messageId);
    expect(taken(call).stamp.messageId).not.toBe(first.stamp.messageId);
  });

  it('is the same when a batch that has an id instead of its events is resent', () => {
    const idsOf = (more: string) =>
      verdictsOf(`{${id}},{${id}},{${id},"messageId":"m"}`, more).map((verdict) =>
        isRejected(verdict) ? verdict.code : verdict.stamp.messageId,
      );
    const first = idsOf(',"messageId":"b1","sentAt":"2026-11-20T08:29:59.000Z"');
    expect(first[0]).toMatch(/^evfwd-[\da-f]{32}$/);
    expect(new Set(first).size).toBe(3);
    expect(first[2]).toBe('m');
    // The clock of this client is wrong, so that the times of its events are corrected.
    expect(idsOf(',"sentAt":"2026-11-20T07:00:00.000Z","messageId":"b1"')).toEqual(first);
    expect(idsOf(',"messageId":"b2"')[0]).not.toBe(first[0]);
    expect(taken(`{${id},"name":"n"}`, ',"messageId":"b1"').stamp.messageId).not.toBe(first[0]);
  });

  it.each(['null', '" "', '7', '{}'])('is not derived from the id %s of a batch', (text) => {
    const call = () => taken(`{${id}}`, `,"messageId":${text}`).stamp.messageId;
    expect(call()).not.toBe(call());
  });
});

describe('the timestamp', () => {
  const now = '2026-11-20T08:30:00.000Z';
  const old = '2012-12-02T00:30:08.276123+01:00';

  type Row = [title: string, call: string, sentAt: string, timestamp: string, original?: unknown];

  it.each<Row>([
    ['is kept unchanged', `"timestamp":"${old}"`, '', old],
    ['is kept unchanged at 5 s of skew', `"timestamp":"${old}"`, '"2026-11-20T08:29:55.000Z"', old],
    ['is kept unchanged without a usable sentAt', `"timestamp":"${old}"`, '"soon"', old],
    [
      'is corrected at more',
      `"timestamp":"${old}"`,
      '"2026-11-20T08:29:54.999+00:00"',
      '2012-12-01T23:30:13.277Z',
      old,
    ],
    [
      'is corrected when the client is ahead',
      `"timestamp":"${old}"`,
      '"2026-11-20T09:30:00Z"',
      '2012-12-01T22:30:08.276Z',
      old,
    ],
    [
      'is corrected by the sentAt of the message first',
      `"timestamp":"${old}","sentAt":"2026-11-20T08:29:00Z"`,
      `"${now}"`,
      '2012-12-01T23:31:08.276Z',
      old,
    ],
    [
      'replaces an original when it is corrected',
      `"originalTimestamp":"${now}","timestamp":"${old}"`,
      '"2026-11-20T08:29:00Z"',
      '2012-12-01T23:31:08.276Z',
      old,
    ],
    ['beats an original', `"originalTimestamp":"${now}","timestamp":"${old}"`, '', old, now],
    ['is the original where there is none', `"originalTimestamp":"${old}"`, '', old, old],
    [
      'is the original where it is null',
      `"originalTimestamp":"${old}","timestamp":null`,
      '',
      old,
      old,
    ],
    [
      'is the corrected original where there is none',
      `"originalTimestamp":"${old}"`,
      '"2026-11-20T08:29:00Z"',
      '2012-12-01T23:31:08.276Z',
      old,
    ],
    ['is the time of receipt when missing', '"channel":"s"', '"2020-01-01T00:00:00Z"', now],
    ['is the time of receipt when null', '"timestamp":null', '', now],
    [
      'is the time of receipt when it cannot be parsed',
      '"timestamp":"yesterday"',
      '',
      now,
      'yesterday',
    ],
    [
      'is the time of receipt when it is a number',
      '"timestamp":1354408208276',
      '',
      now,
      1354408208276,
    ],
    [
      'is the time of receipt when neither can be parsed',
      '"timestamp":"a","originalTimestamp":"b"',
      '',
      now,
      'a',
    ],
    [
      'is written in full where it is not',
      '"timestamp":"2015-2-02T00:30:08.276Z"',
      '',
      '2015-02-02T00:30:08.276Z',
      '2015-2-02T00:30:08.276Z',
    ],
    [
      'stays where it would leave the calendar',
      '"timestamp":"9999-12-31T23:59:59Z"',
      '"2026-11-20T08:29:00Z"',
      '9999-12-31T23:59:59Z',
    ],
  ])('%s', (...[, members, sentAt, timestamp, original]) => {
    const accepted = taken(`{${id},${members}}`, sentAt && `,"sentAt":${sentAt}`);
    expect(bodyOf(accepted).timestamp).toBe(timestamp);
    expect(accepted.event.value.originalTimestamp).toEqual(original);
    const { bytes } = accepted.event;
    expect(parseEvent(bytes, origin)).toMatchObject({ value: accepted.event.value });
  });
});
