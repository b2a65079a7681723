import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem, type Event } from '../../src/events/event.js';
import { parseEvent, parseLine } from '../../src/events/parse.js';
import { codeOf, eventOf, itemOf, place, trackWith } from '../helpers/events.js';
import { forbiddenJson, allowedJson } from '../helpers/json-cases.js';
import { runs } from '../helpers/property-runs.js';

describe('a line', () => {
  it('is an event with its text, its value, its members and its location', () => {
    const text = '{"type":"track","userId":"u1","event":"Opened"}';
    const origin = place({ line: 7, offset: 99, length: text.length });
    const event = parseLine(Buffer.from(text), origin) as Event;
    expect(event.bytes).toEqual(Buffer.from(text));
    expect(event.type).toBe('track');
    expect(event.value).toEqual(JSON.parse(text));
    expect(event.members).toContainEqual({ name: 'type', nameStart: 1, start: 8, end: 15 });
    expect(event.origin).toEqual(origin);
  });

  it('is read without the space around it', () => {
    expect(eventOf(` \t\r${trackWith('1')}\r \n`).bytes.toString()).toBe(trackWith('1'));
  });

  it.each([
    ['[]', 'not_an_event'],
    ['null', 'not_an_event'],
    ['"{}"', 'not_an_event'],
    ['12', 'not_an_event'],
    ['{}', 'missing_type'],
    ['', 'not_json'],
  ])('%j is a problem: %s', (line, code) => {
    expect(codeOf(itemOf(line))).toBe(code);
  });

  it('never throws, and is JSON exactly when JSON.parse and a strict decoder accept it', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const code = codeOf(itemOf(line));
        expect(code === 'not_utf8' || code === 'not_json').toBe(!isJson(line));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('of random bytes never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const line = Buffer.from(bytes);
        expect(isProblem(itemOf(line)) && isProblem(parseEvent(line, place()))).toBe(true);
      }),
    );
  });

  it('of a million open brackets is a problem', () => {
    for (const line of [
      '['.repeat(1e6),
      '{"a":'.repeat(2e5),
      `${'['.repeat(5e5)}${']'.repeat(5e5)}`,
    ])
      expect(isProblem(itemOf(line))).toBe(true);
  });
});

describe('what JSON forbids', () => {
  it.each(forbiddenJson)('%s', (_, json) => {
    const line = Buffer.from(trackWith('\0')).toString('latin1').split('\0');
    expect(codeOf(itemOf(Buffer.from(line.join(json), 'latin1')))).toBe('not_json');
  });

  it.each([
    ['only a name', 'type'],
    ['single quotes', "{'type':'track','userId':'u','event':'e'}"],
    ['names without quotes', '{type:"track",userId:"u",event:"e"}'],
    ['text after the event', `${trackWith('1')}x`],
    ['a second event', `${trackWith('1')}${trackWith('1')}`],
    ['a comma after the event', `${trackWith('1')},`],
    ['a comma before the first member', `{,${trackWith('1').slice(1)}`],
    ['a comma after the last member', `${trackWith('1').slice(0, -1)},}`],
    ['no comma between members', '{"type":"track" "userId":"u","event":"e"}'],
    ['a comment', `${trackWith('1')} // why`],
    ['a byte order mark', `\ufeff${trackWith('1')}`],
    ['a no-break space around it', `\u00a0${trackWith('1')}`],
    ['a form feed around it', `\f${trackWith('1')}`],
    ['a NUL after it', `${trackWith('1')}\0`],
  ])('%s', (_, line) => {
    expect(codeOf(itemOf(line))).toBe('not_json');
  });

  it('any truncated event', () => {
    const line = Buffer.from(trackWith('{"é":[true,"\\u00e9",-1.5e3]}'));
    for (let end = 0; end < line.length; end++) {
      expect(codeOf(itemOf(line.subarray(0, end)))).toMatch(/^not_(json|utf8)$/);
    }
  });

  it('is reported with its position, and never with the text', () => {
    const message = (line: string) => (itemOf(line) as { message: string }).message;
    expect(message('{"type":"track","secret":"hunter2",}')).toBe('not JSON at character 36');
    expect(message('{"type":"track","secret":"hunter2')).toBe('not JSON: it ends too early');
    expect(message('{"secret":"hunter2","a":hunter2}')).not.toContain('hunter2');
  });
});

describe('what JSON allows', () => {
  it.each(allowedJson)('%s', (_, json) => {
    const line = trackWith(json);
    const event = eventOf(line);
    const { start, end } = event.members.find(({ name }) => name === 'properties')!;
    expect(event.bytes.toString()).toBe(line);
    expect(event.bytes.toString('utf8', start, end)).toBe(`{"v":${json}}`);
  });

  it('a __proto__ is a member like any other', () => {
    const item = itemOf('{"__proto__":{"type":"track","userId":"u","event":"e"}}');
    expect(codeOf(item)).toBe('missing_type');
    const event = eventOf('{"type":"track","userId":"u","event":"e","__proto__":{"x":1}}');
    expect(event.members.map(({ name }) => name)).toContain('__proto__');
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('nesting', () => {
  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"":', '}'],
  ])('of %s is accepted up to 200 levels, the event itself being the first', (_, open, close) => {
    const nested = (levels: number) =>
      trackWith(`${open.repeat(levels - 3)}${open[0]}${close}${close.repeat(levels - 3)}`);
    expect(codeOf(itemOf(nested(200)))).toBeUndefined();
    expect(itemOf(nested(201))).toMatchObject({
      code: 'too_deep',
      message: expect.stringContaining('201'),
    });
  });
});

describe('size', () => {
  it.each(['x', 'é', '😀'])('is accepted up to 32,768 bytes, counted in UTF-8: %s', (character) => {
    const room = 32_768 - Buffer.byteLength(trackWith('""'));
    const bytes = Buffer.byteLength(character);
    const filled = character.repeat(Math.floor(room / bytes)) + 'x'.repeat(room % bytes);
    const line = trackWith(`"${filled}"`);
    expect(eventOf(line).bytes).toHaveLength(32_768);
    expect(codeOf(itemOf(` ${line}\r`))).toBeUndefined();
    expect(itemOf(trackWith(`"${filled}x"`))).toMatchObject({
      code: 'too_large',
      message: 'the event has 32769 bytes; the limit is 32768',
    });
  });

  it('beyond 1 MiB is rejected without reading the text', () => {
    const line = Buffer.alloc(1024 * 1024 + 1, '{');
    expect(parseEvent(line, place())).toMatchObject({ code: 'too_large', isJson: false });
  });
});

describe('members at the top', () => {
  it.each([
    ['twice', '{"type":"track","userId":"u","event":"e","event":"e"}', 'event'],
    ['twice with the same value null', '{"x":null,"x":null,"type":"track"}', 'x'],
    ['twice, spelled differently', '{"type":"page","userId":"u","\\u0074ype":"track"}', 'type'],
    ['twice, an empty name', '{"type":"page","userId":"u","":1,"":2}', ''],
    ['twice, __proto__', '{"type":"page","userId":"u","__proto__":1,"__proto__":2}', '__proto__'],
  ])('are rejected %s', (_, line, name) => {
    expect(itemOf(line)).toMatchObject({
      code: 'repeated_member',
      message: `the member ${JSON.stringify(name)} is duplicated`,
      isJson: true,
    });
  });

  it('may be duplicated below it', () => {
    expect(eventOf(trackWith('{"a":1,"a":2}')).bytes.toString()).toContain('{"a":1,"a":2}');
  });
});

describe('bytes that are not UTF-8', () => {
  it.each([
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['an overlong three-byte form', [0xe0, 0x80, 0xaf]],
    ['an overlong four-byte form', [0xf0, 0x80, 0x80, 0xaf]],
    ['a high surrogate', [0xed, 0xa0, 0x80]],
    ['a low surrogate', [0xed, 0xbf, 0xbf]],
    ['a surrogate pair', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
    ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a five-byte form', [0xf8, 0x88, 0x80, 0x80, 0x80]],
    ['a lone continuation', [0x80]],
    ['a truncated two-byte form', [0xc3]],
    ['a truncated three-byte form', [0xe2, 0x82]],
    ['a truncated four-byte form', [0xf0, 0x9f, 0x98]],
    ['Latin-1', [0xe9]],
    ['0xFF', [0xff]],
    ['0xFE', [0xfe]],
  ])('%s: rejected at any position', (_, bytes) => {
    const bad = Buffer.from(bytes).toString('latin1');
    for (const line of [
      trackWith(`"${bad}"`),
      trackWith(`{"${bad}":1}`),
      `${trackWith('1')}${bad}`,
    ])
      expect(itemOf(Buffer.from(line, 'latin1'))).toMatchObject({
        code: 'not_utf8',
        isJson: false,
      });
  });

  it.each([0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x10ffff])(
    'U+%i is UTF-8, and accepted',
    (point) => {
      const line = trackWith(JSON.stringify(String.fromCodePoint(point)));
      expect(eventOf(line).bytes.toString()).toBe(line);
    },
  );

  it('UTF-16 is rejected', () => {
    expect(codeOf(itemOf(Buffer.from(trackWith('"é"'), 'utf16le')))).toMatch(/^not_(utf8|json)$/);
  });
});

/** JSON texts, some of them damaged by one byte that is removed, inserted or changed. */
const anyLine = fc
  .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(2), fc.nat(255), fc.boolean())
  .map(([json, at, removed, byte, isDamaged]) => {
    const bytes = Buffer.from(json);
    if (!isDamaged) return bytes;
    const place = at % bytes.length;
    const put = removed === 0 || at % 2 === 0 ? [byte] : [];
    return Buffer.concat([
      bytes.subarray(0, place),
      Buffer.from(put),
      bytes.subarray(place + Math.min(removed, 1)),
    ]);
  });

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(decoder.decode(bytes));
    return true;
  } catch {
    return false;
  }
}
