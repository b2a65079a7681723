import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem, type Event, type EventType } from '../../src/events/event.js';
import { eventFrom } from '../../src/events/given.js';
import { stampEvent, type Stamp } from '../../src/events/stamp.js';
import { webhookBody } from '../../src/webhook/body.js';
import { numberText, objectOf, objectText, stringText, valueText } from '../helpers/json-text.js';

const now = Date.parse('2026-11-20T08:30:00.123Z');

function read(text: string): Event {
  const event = eventFrom(text);
  if (isProblem(event)) throw new Error(`${event.message}: ${text}`);
  return event;
}

function stampOf(event: Event): Stamp {
  return stampEvent(event, { ids: 'keep', seed: '', now });
}

function bodyOf(text: string): string {
  const event = read(text);
  return webhookBody(event, stampOf(event)).toString('utf8');
}

const rest =
  '"userId":"u","anonymousId":"a","messageId":"m","timestamp":"2026-01-01T00:00:00+02:00","context":{"c":1}';
const extra =
  '"channel":"x","sentAt":"y","integrations":{},"version":2,"writeKey":"k","Previous ID":"p","receivedAt":1';

describe('the body of a webhook', () => {
  it.each<[EventType, string, string]>([
    [
      'page',
      '"properties":{},"category":"c","name":"n"',
      '"name":"n","category":"c","properties":{}',
    ],
    [
      'screen',
      '"properties":{},"category":"c","name":"n"',
      '"name":"n","category":"c","properties":{}',
    ],
    ['identify', '"traits":{"t":1}', '"traits":{"t":1}'],
    ['track', '"properties":[],"event":"e"', '"event":"e","properties":[]'],
    ['group', '"traits":{},"groupId":7', '"groupId":7,"traits":{}'],
  ])(
    'of a %s has the members of its type, in their order, and no others',
    (type, own, expected) => {
      const foreign = [
        'name',
        'category',
        'properties',
        'traits',
        'event',
        'groupId',
        'previousId',
        'User ID',
      ]
        .filter((name) => !own.includes(`"${name}"`))
        .map((name) => `"${name}":${['properties', 'traits'].includes(name) ? '{"f":1}' : '"f"'}`);
      const text = `{${[extra, ...foreign, own, rest].join(',')},"type":"${type}"}`;
      expect(bodyOf(text)).toBe(`{"version":1,"type":"${type}",${rest},${expected}}`);
    },
  );

  it('of an alias has its two literal keys, and no userId', () => {
    const text = `{"type":"alias","previousId":"old",${rest},"traits":{},${extra}}`;
    const kept = rest.replace('"userId":"u",', '');
    expect(bodyOf(text)).toBe(
      `{"version":1,"type":"alias",${kept},"Previous ID":"old","User ID":"u"}`,
    );
  });

  it('of a delete has exactly three members', () => {
    expect(bodyOf(`{"properties":{},${extra},${rest},"type":"delete"}`)).toBe(
      '{"type":"delete","userId":"u","timestamp":"2026-01-01T00:00:00+02:00"}',
    );
    expect(bodyOf('{"type":"delete","userId":1}')).toBe(
      '{"type":"delete","userId":1,"timestamp":"2026-11-20T08:30:00.123Z"}',
    );
  });

  it.each<[string, string, RegExp]>([
    [
      'lacks both',
      '',
      /^{"version":1,"type":"page","userId":"u","messageId":"evfwd-[0-9a-f]{32}","timestamp":"2026-11-20T08:30:00.123Z"}$/,
    ],
    [
      'has an empty id',
      ',"messageId":""',
      /"userId":"u","messageId":"evfwd-[0-9a-f]{32}","timestamp":"2026/,
    ],
    [
      'has null for an id',
      ',"messageId":null',
      /"userId":"u","messageId":"evfwd-[0-9a-f]{32}","timestamp":"2026/,
    ],
    [
      'has a number for an id',
      ',"messageId":1.0',
      /"userId":"u","messageId":1\.0,"timestamp":"2026/,
    ],
    [
      'has a timestamp',
      ',"timestamp":"2020-01-01T00:00:00Z"',
      /"timestamp":"2020-01-01T00:00:00Z"}$/,
    ],
  ])('of an event that %s gets what is missing, at its place', (_title, members, expected) => {
    expect(bodyOf(`{"type":"page","userId":"u"${members}}`)).toMatch(expected);
  });

  it('keeps an id of null, and leaves out an absent one', () => {
    const text =
      '{"type":"page","userId":null,"anonymousId":"a","messageId":"m","timestamp":"2020-01-01T00:00:00Z"}';
    expect(bodyOf(text)).toBe(`{"version":1,${text.slice(1)}`);
    expect(bodyOf(text.replace('"userId":null,', ''))).not.toContain('userId');
  });
});

/** The table of section 3 of the interface, in words of its own. */
const membersAfterCommon: Record<Exclude<EventType, 'delete'>, readonly string[]> = {
  page: ['name', 'category', 'properties'],
  screen: ['name', 'category', 'properties'],
  identify: ['traits'],
  track: ['event', 'properties'],
  group: ['groupId', 'traits'],
  alias: [],
};

function expectedBody(type: EventType, texts: ReadonlyMap<string, string>, stamp: Stamp): string {
  const all = new Map(texts);
  if (stamp.writesMessageId) all.set('messageId', JSON.stringify(stamp.messageId));
  if (stamp.timestamp !== undefined) all.set('timestamp', JSON.stringify(stamp.timestamp));
  const pick = (...names: string[]): string[] =>
    names.filter((name) => all.has(name)).map((name) => `"${name}":${all.get(name)!}`);
  if (type === 'delete') return `{${pick('type', 'userId', 'timestamp').join(',')}}`;
  const user = type === 'alias' ? [] : ['userId'];
  const parts = [
    '"version":1',
    ...pick('type', ...user, 'anonymousId', 'messageId', 'timestamp', 'context'),
    ...pick(...membersAfterCommon[type]),
  ];
  if (type === 'alias')
    parts.push(`"Previous ID":${all.get('previousId')!}`, `"User ID":${all.get('userId')!}`);
  return `{${parts.join(',')}}`;
}

/** A blank one counts as none. */
const filledText = stringText.filter((text) => (JSON.parse(text) as string).trim() !== '');
const idText = fc.oneof(numberText, filledText);
const mapText = fc.oneof(objectText, fc.constantFrom('[]', '[ ]', '{}'));
const anyOf = (...texts: string[]): Arbitrary<string> => fc.constantFrom(...texts);

const memberTexts: Record<string, Arbitrary<string>> = {
  anonymousId: fc.oneof(idText, anyOf('null', '""', '" "')),
  messageId: fc.oneof(idText, anyOf('null', '""', '" "')),
  timestamp: anyOf(
    '"2026-11-20T08:30:00.000Z"',
    '"2026-11-20T08:30:00+0200"',
    '"2026-11-20T08:30:00.5Z"',
  ),
  context: mapText,
  integrations: mapText,
  properties: mapText,
  traits: mapText,
  name: valueText,
  category: valueText,
  channel: valueText,
  sentAt: valueText,
  version: valueText,
  other: valueText,
};

/** Each member of an event that is always there, and whether the others are. */
function membersOf(type: EventType): Arbitrary<Record<string, string>> {
  return fc.record(
    {
      ...memberTexts,
      type: fc.constant(`"${type}"`),
      userId: idText,
      event: type === 'track' ? filledText : valueText,
      groupId: idText,
      previousId: idText,
    },
    { requiredKeys: ['type', 'userId', 'event', 'groupId', 'previousId'] },
  );
}

/** One of the members that are not sent has a name that objects of JavaScript take ill. */
const nameText = (name: string): string => (name === 'other' ? '"__proto__"' : `"${name}"`);

describe.each(['page', 'screen', 'identify', 'track', 'group', 'alias', 'delete'] as const)(
  'the body of any %s',
  (type) => {
    it('is put together from the very texts of its members', () => {
      const event = membersOf(type)
        .chain((members) =>
          fc.shuffledSubarray(Object.entries(members), { minLength: Object.keys(members).length }),
        )
        .chain((entries) =>
          fc.tuple(
            fc.constant(entries),
            objectOf(entries.map(([name, text]) => [nameText(name), text])),
          ),
        );
      fc.assert(
        fc.property(event, ([entries, text]) => {
          const parsed = read(text);
          const stamp = stampOf(parsed);
          const body = webhookBody(parsed, stamp);
          expect(body.toString('utf8')).toBe(expectedBody(type, new Map(entries), stamp));
          expect(() => JSON.parse(body.toString('utf8'))).not.toThrow();
        }),
      );
    });
  },
);

it('a member whose name is spelled with escapes is that member', () => {
  const text =
    '{"\\u0074ype":"track","user\\u0049d":"u","event":"\\u0065","messageId":"m","timestamp":"2020-01-01T00:00:00Z"}';
  expect(bodyOf(text)).toBe(
    '{"version":1,"type":"track","userId":"u","messageId":"m","timestamp":"2020-01-01T00:00:00Z","event":"\\u0065"}',
  );
});

it('a body of the largest event is whole, and the next small one is not mixed with it', () => {
  const large = `{"type":"page","userId":"u","properties":{"x":"${'é'.repeat(16_000)}"}}`;
  expect(bodyOf(large)).toContain('é'.repeat(16_000));
  expect(bodyOf('{"type":"delete","userId":"u"}')).toMatch(
    /^{"type":"delete","userId":"u","timestamp":"[^"]*"}$/,
  );
});
