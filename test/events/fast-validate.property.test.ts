import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fastValidate } from '../../src/events/fast-validate.js';
import { repeatedName, scanMembers } from '../../src/json/members.js';
import { checkMembers } from '../../src/events/rules.js';
import { eventText } from '../helpers/event-text.js';
import { trackWith } from '../helpers/events.js';
import { allowedJson, forbiddenJson } from '../helpers/json-cases.js';
import { runs } from '../helpers/property-runs.js';

function fastCheck(text: string): string | undefined {
  const bytes = Buffer.from(text);
  return fastValidate(bytes, 0, bytes.length);
}

/** The type of a text that is a valid event when it is parsed and validated. */
function judge(text: string): unknown {
  const value = JSON.parse(text) as Record<string, unknown>;
  const repeated = repeatedName(scanMembers(Buffer.from(text)).members);
  return repeated === undefined && !checkMembers(value) ? value.type : undefined;
}

describe('fastValidate', () => {
  it('accepts only what the rules accept, whatever surrounds it', () => {
    fc.assert(
      fc.property(eventText, fc.constantFrom('', 'x', '}\n', '{'), (text, around) => {
        const bytes = Buffer.from(around + text + around);
        const type = fastValidate(bytes, around.length, bytes.length - around.length);
        if (type !== undefined) expect(type).toBe(judge(text));
      }),
      { numRuns: runs(10_000) },
    );
  });

  it.each([
    '{"type":"track","userId":"u","event":"e"}',
    '{"type":"track","anonymousId":"a","event":"e","userId":null}',
    '{ "type": "page", "userId": "u", "anonymousId": null, "name": "n" }',
    '{"type":"identify","userId":"é","traits":{"a":[1,{"b":"\\u0000"}]}}',
    '{"type":"screen","anonymousId":"a","one":1,"other":2,"third":3}',
    '{"type":"group","userId":"u","groupId":"g","context":{},"integrations":{"All":true}}',
    '{"type":"alias","userId":"u","previousId":"p","timestamp":"2026-11-20T08:30:00+02:00"}',
    '{"type":"delete","userId":"u","messageId":"m"}',
  ])('is enough for %s', (text) => {
    expect(fastCheck(text)).toBe((JSON.parse(text) as { type: string }).type);
  });

  it.each(allowedJson)('accepts an event with %s', (_, json) => {
    expect(fastCheck(trackWith(json))).toBe('track');
  });

  it.each(forbiddenJson)('does not accept one with %s', (_, json) => {
    expect(fastCheck(trackWith(json))).toBeUndefined();
  });

  it('accepts at most 200 levels and 32,768 bytes', () => {
    const nested = (levels: number) => trackWith('['.repeat(levels - 2) + ']'.repeat(levels - 2));
    expect([fastCheck(nested(200)), fastCheck(nested(201))]).toEqual(['track', undefined]);
    const filled = (bytes: number) => trackWith(`"${'x'.repeat(bytes - trackWith('""').length)}"`);
    expect([fastCheck(filled(32_768)), fastCheck(filled(32_769))]).toEqual(['track', undefined]);
  });

  it.each([
    ['a dead letter', `{"type":"dead-letter","event":${trackWith('1')}}`],
    ['a captured request', JSON.stringify({ type: 'request', body: trackWith('1') })],
    ['a duplicated member', '{"type":"page","userId":"u","type":"page"}'],
    ['one duplicated in two spellings', '{"type":"page","userId":"u","\\u0074ype":"page"}'],
    ['an unknown duplicated one', '{"type":"page","userId":"u","a":1,"b":2,"a":3}'],
    ['two lines', '{"type":"page",\n"userId":"u"}\n{}'],
    ['a list', `[${trackWith('1')}]`],
  ])('does not take %s', (_, line) => {
    expect(fastCheck(line)).toBeUndefined();
  });
});
