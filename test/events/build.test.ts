import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildEvent, type EventFlags } from '../../src/events/build.js';
import { UsageError } from '../../src/errors.js';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'evfwd-build-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('an event from flags alone', () => {
  it.each<[EventFlags, string]>([
    [{}, '{}'],
    [
      {
        type: 'track',
        event: 'Order Completed',
        userId: 'u1',
        property: ['total=12.5', 'coupon:="X"'],
      },
      '{"type":"track","userId":"u1","event":"Order Completed","properties":{"total":"12.5","coupon":"X"}}',
    ],
    [
      {
        type: 'identify',
        anonymousId: 'a',
        trait: ['address.city=Berlin', 'address.zip:=10115', 'a\\.b=c'],
      },
      '{"type":"identify","anonymousId":"a","traits":{"address":{"city":"Berlin","zip":10115},"a.b":"c"}}',
    ],
    [
      { property: ['q=a=b', 'e=', 'j:={"x": 1e400}'] },
      '{"properties":{"q":"a=b","e":"","j":{"x": 1e400}}}',
    ],
    [{ property: ['a=1', 'a=2', 'b.c:=1', 'b.c:=2'] }, '{"properties":{"a":"2","b":{"c":2}}}'],
    [
      { property: ['__proto__.x=1', 'constructor=2'] },
      '{"properties":{"__proto__":{"x":"1"},"constructor":"2"}}',
    ],
    [
      { properties: ' {"n": 12345678901234567890}\n', property: ['m=é"'] },
      '{"properties":{"n": 12345678901234567890,"m":"é\\""}}',
    ],
    [
      {
        name: 'n',
        category: 'c',
        groupId: 'g',
        previousId: 'p',
        messageId: 'm',
        timestamp: 't',
        context: '{}',
        integrations: '{"All":false}',
        traits: '{"a":1}',
      },
      '{"messageId":"m","previousId":"p","groupId":"g","timestamp":"t","name":"n","category":"c","context":{},"integrations":{"All":false},"traits":{"a":1}}',
    ],
  ])('of %j is %s', async (flags, expected) => {
    expect(await build(flags)).toBe(expected);
  });
});

describe('an event with a base', () => {
  const pretty = `\ufeff{
  "type": "track",
  "userId": 12345678901234567890,
  "event": "A",
  "properties": {
    "d": 1, "d": -0,
    "keep": [ 1.0, "\\u00e9" ]
  }
}
`;

  it('keeps members without a flag, byte for byte', async () => {
    const text = pretty.trim();
    expect(await build({ data: pretty })).toBe(text);
    expect(await build({ data: pretty, event: 'B', property: ['new:=1e400'] })).toBe(
      text.replace('"A"', '"B"').replace('"\\u00e9" ]', '"\\u00e9" ],"new":1e400'),
    );
  });

  it('overrides the type, and keeps the position of each member', async () => {
    const data = '{"event":"x","type":"page","userId":1}';
    expect(await build({ data, type: 'track', userId: 'u' })).toBe(
      '{"event":"x","type":"track","userId":"u"}',
    );
  });

  it('reads files, and standard input for - and @-', async () => {
    const event = join(directory, 'event.json');
    const traits = join(directory, 'traits.json');
    await writeFile(event, '{"type":"identify","userId":"u"}\n');
    await writeFile(traits, '\r\n{ "a": 1 }\r\n');
    const expected = '{"type":"identify","userId":"u","traits":{ "a": 1 }}';
    expect(await build({ data: `@${event}`, traits: `@${traits}` })).toBe(expected);
    expect(await build({ data: '-' }, '{"stdin":true}')).toBe('{"stdin":true}');
    expect(await build({ data: '@-' }, '{"stdin":true}')).toBe('{"stdin":true}');
  });

  it('starts from a built-in event', async () => {
    const event = JSON.parse(
      await build({ fixture: 'track', userId: 'me', property: ['total:=1'] }),
    );
    expect(event).toMatchObject({
      event: 'Order Completed',
      userId: 'me',
      properties: { total: 1, currency: 'EUR' },
    });
  });

  it.each([
    [
      '{"type":"dead-letter","messageId":"m9","reason":"failed","event":{"n": 1e400}}',
      '{"n": 1e400,"messageId":"m9","userId":"u"}',
    ],
    [
      '{"type":"dead-letter","messageId":"m9","event":{"messageId":"own"}}',
      '{"messageId":"m9","userId":"u"}',
    ],
    [
      '{"type":"dead-letter","messageId":"m9","request":{"type":"request","body":"{\\"n\\":1}"}}',
      '{"n":1,"userId":"u"}',
    ],
    ['{"type":"request","id":"r","body":"{\\"n\\": 1e400}"}', '{"n": 1e400,"userId":"u"}'],
    [
      '{"type":"request","body":"{\\"type\\":\\"alias\\",\\"User ID\\":\\"a\\"}"}',
      '{"type":"alias","userId":"u"}',
    ],
  ])('extracts the event from %s', async (data, expected) => {
    expect(await build({ data, userId: 'u' })).toBe(expected);
  });

  it('rejects a dead letter with only the beginning of a line', async () => {
    const data = '{"type":"dead-letter","code":"line_too_long","raw":"{\\"type\\":\\"page\\"}"}';
    await expect(build({ data })).rejects.toThrow(/^--data: the dead letter holds only the beginn/);
  });

  it.each(['null', '[]', '[ ]'])('fills properties that are %s', async (empty) => {
    expect(await build({ data: `{"properties":${empty}}`, property: ['a=1'] })).toBe(
      '{"properties":{"a":"1"}}',
    );
    expect(await build({ data: `{"properties":${empty}}` })).toBe(`{"properties":${empty}}`);
  });
});

describe('flags without a valid event', () => {
  it.each<[EventFlags, string]>([
    [{ data: '{}', fixture: 'track' }, '--data and --fixture both specify a whole event'],
    [{ fixture: 'trak' }, 'there is no fixture "trak"; did you mean track?'],
    [{ data: '[1]' }, '--data must be a JSON object'],
    [{ data: '' }, '--data is empty'],
    [{ data: '{"a":1\n,"s3cret"}' }, '--data is not valid JSON'],
    [
      { data: '{"type":"request","body":"s3cret"}' },
      'the body of the request inside --data is not a JSON object; send the request as it was with evfwd replay',
    ],
    [
      { data: '{"type":"request","body":"[]"}' },
      'is not a JSON object; send the request as it was',
    ],
    [{ data: '@nowhere.json' }, 'cannot read --data @nowhere.json (ENOENT)'],
    [{ properties: '"s3cret"' }, '--properties must be a JSON object'],
    [{ context: 's3cret' }, '--context is not valid JSON'],
    [{ property: ['a:=s3cret'] }, '-P a:= is not valid JSON; use a=… for text'],
    [{ property: ['a:='] }, '-P a:= is empty, not JSON'],
    [{ property: ['lonely'] }, '-P "lonely" has no value'],
    [{ property: ['=s3cret'] }, '-P "" has an empty name in its key'],
    [{ trait: ['a..b=s3cret'] }, '-T "a..b" has an empty name in its key'],
    [{ property: ['a=1', 'a.b=2'] }, '-P a.b cannot be set: properties.a is not an object'],
    [
      { data: '{"traits":"s3cret"}', trait: ['a=1'] },
      '-T a cannot be set: traits is not an object',
    ],
  ])('%j: the error names the flag and no value', async (flags, message) => {
    const error: unknown = await build(flags).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toContain(message);
    expect((error as UsageError).message).not.toMatch(/s3cret|\n/);
  });

  it('names the file that is not UTF-8', async () => {
    const file = join(directory, 'latin1.json');
    await writeFile(file, Buffer.from('{"a":"é"}', 'latin1'));
    await expect(build({ data: `@${file}` })).rejects.toThrow('latin1.json is not UTF-8 text');
  });
});

describe('any flags', () => {
  it('appear unchanged, and do not change the base', async () => {
    await fc.assert(
      fc.asyncProperty(
        numbers,
        numbers,
        fc.string({ unit: 'grapheme' }),
        async (kept, given, text) => {
          const data = `{"kept":${kept},"properties":{"kept": ${kept} }}`;
          const built = await build({
            data,
            userId: text,
            property: [`given:=${given}`, `text=${text}`],
          });
          const quoted = JSON.stringify(text);
          expect(built).toBe(
            `{"kept":${kept},"properties":{"kept": ${kept},"given":${given},"text":${quoted} },"userId":${quoted}}`,
          );
        },
      ),
    );
  });
});

const digits = fc.stringMatching(/^[1-9][0-9]{0,40}$/);
const numbers = fc.oneof(
  digits,
  fc.tuple(digits, digits).map(([whole, part]) => `-${whole}.${part}0`),
  fc.tuple(digits, fc.constantFrom('e400', 'E-9', 'e+0')).map((parts) => parts.join('')),
  fc.json(),
);

async function build(flags: EventFlags, stdin = ''): Promise<string> {
  const text = await buildEvent(flags, (path) =>
    path === '-' ? Promise.resolve(Buffer.from(stdin)) : readFile(path),
  );
  return text.toString();
}
