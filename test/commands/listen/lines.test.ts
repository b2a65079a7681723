import { describe, expect, it } from 'vitest';
import { bodyLines } from '../../../src/commands/listen/body-lines.js';
import { layoutFor } from '../../../src/commands/listen/layout.js';
import { headingLine, requestLines } from '../../../src/commands/listen/lines.js';
import { hasNotes } from '../../../src/commands/listen/response-notes.js';
import { notesOf, summaryOf } from '../../../src/listen/notes.js';
import { responseFor } from '../../../src/listen/planned-response.js';
import type { ReceivedRequest } from '../../../src/listen/received-request.js';
import { unchecked } from '../../../src/receive/checked-signature.js';
import { widthOf } from '../../../src/output/columns.js';
import { colors } from '../../../src/output/text.js';

const paint = await colors({}, {}, false);

function received(text: string | Buffer, more: Partial<ReceivedRequest> = {}): ReceivedRequest {
  const body = Buffer.from(text);
  const path = more.path ?? '/hook';
  return {
    ...{ id: 'a-1', sequence: 1, receivedAt: 0, startedAt: 0, method: 'POST', path, headers: [] },
    ...{
      body,
      bytes: body.length,
      isTooLarge: false,
      summary: summaryOf(notesOf(body, path), more.headers),
    },
    ...{ ...unchecked, signature: 'missing', response: responseFor(undefined), fault: null },
    ...{ forwarded: null, isDuplicate: false, duplicateEvents: [], durationMs: 0, keptBytes: 0 },
    ...more,
  };
}

function linesAt(
  columns: number | undefined,
  request: ReceivedRequest,
  showsPath: boolean,
): string[] {
  const layout = layoutFor(columns, { showsPath, showsUser: true, hasNotes: hasNotes(request) });
  return requestLines(request, notesOf(request.body, request.path), { paint, layout });
}

const long = { type: 'track', event: '日本語のとても長い名前 é👍🏽', userId: 'u'.repeat(150) };
const fault = { fault: 'status=503,first=1,type=page', path: `/${'p'.repeat(300)}?token=secret` };
const requests = [
  received(JSON.stringify(long), fault),
  received(JSON.stringify({ batch: [long, { type: 'identify', userId: 'é' }] })),
  received('', { method: 'GET', ...fault, signature: 'unchecked' }),
];

describe('the line of a request', () => {
  it.each([30, 40, 50, 60, 79, 80, 120, 200])('fits a terminal of %i columns', (columns) => {
    for (const showsPath of [false, true]) {
      for (const request of requests) {
        const [first = '', ...others] = linesAt(columns, request, showsPath);
        for (const line of [first, ...others]) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(first).toMatch(/^\d\d:\d\d:\d\d.*(?:missing|unchecked) .*200/);
        expect(first).not.toContain('secret');
      }
    }
  });

  it('shows the path where it is asked for, and cuts the event before the user', () => {
    const text = '{"type":"track","event":"Order Completed","userId":"user-1"}';
    const [line] = linesAt(80, received(text), true);
    expect(line).toMatch(/ {2}track Order Com… {2}user-1 +\/hook /);
    expect(linesAt(80, received(text), false)[0]).not.toContain('/hook');
  });

  it.each([
    ['the type of another sender', received('{"type":"invoice.paid"}'), 'invoice.paid'],
    ['the header of GitHub', received('{"a":1}', { headers: ['X-GitHub-Event', 'push'] }), 'push'],
    ['its method, where nothing is known', received('{"a":1}', { method: 'PUT' }), 'PUT'],
  ])('says what arrived by %s', (_, request, event) => {
    const layout = layoutFor(120, { showsPath: true, showsUser: false, hasNotes: false });
    const notes = notesOf(request.body, request.path);
    const [line] = requestLines(request, notes, { paint, layout });
    expect(line).toMatch(new RegExp(`^[\\d:.]{12} {2}${event} +/hook +missing `));
  });

  it('stands below headings of the same widths', () => {
    for (const columns of [40, 80, 120, undefined]) {
      const layout = layoutFor(columns, { showsPath: true, showsUser: true, hasNotes: false });
      const heading = headingLine({ paint, layout });
      const [line = ''] = linesAt(columns, received('{"type":"identify","userId":"u"}'), true);
      expect(heading.indexOf('signature')).toBe(line.indexOf('missing'));
    }
  });

  it('is not cut in a stream without columns', () => {
    expect(linesAt(undefined, requests[0]!, true)[0]).toContain('u'.repeat(150));
  });
});

describe('the lines of a body', () => {
  const form = { headers: ['Content-Type', 'application/x-www-form-urlencoded'] };

  it.each([
    [
      'text, with its control characters escaped',
      received('a\r\n\x1b[2J\n'),
      ['  a', '  \\u001b[2J'],
    ],
    ['nothing', received(''), []],
    ['a form', received('a=1&b=two+w%C3%B6rds', form), ['  a: 1', '  b: two wörds']],
    ['JSON that is announced as a form, as curl -d does', received('{"a":1}', form), ['  {"a":1}']],
    [
      'binary data',
      received(Buffer.from([0xff, 0]), { headers: ['content-type', 'image/png'] }),
      ['  (2 bytes of binary data, image/png)'],
    ],
    [
      'a body beyond the limit',
      received('', { isTooLarge: true, bytes: 2e6 }),
      ['  (2,000,000 bytes, too large to be read)'],
    ],
  ])('show %s', (_, request, lines) => {
    expect(bodyLines(request)).toEqual(lines);
  });

  it('show 4 KB, without half a character, and say how much is left', () => {
    const [line, note] = bodyLines(received(`x${'é'.repeat(3_000)}`));
    expect([line, note]).toEqual([`  x${'é'.repeat(2_047)}`, '  (1,906 more bytes)']);
  });
});

describe('of an array of webhook bodies', () => {
  const event = (userId: string) => ({ type: 'page', name: 'Home', userId });
  const shown = (body: unknown, more: Partial<ReceivedRequest> = {}) =>
    linesAt(undefined, received(JSON.stringify(body), more), false).map((line) =>
      line.replace(/^\d\d:\d\d:\d\d\S*/, 'T').replaceAll(/ {2,}/g, ' | '),
    );

  it('says how many events and users it has, and lists the events below', () => {
    const lines = shown([event('u1'), 1, event('u2')], { duplicateEvents: [0] });
    expect(lines).toEqual([
      'T | batch of 2 events and 1 other | 2 users | missing | 91 B | 200 1 duplicate event',
      ' | page Home | u1',
      ' | page Home | u2',
    ]);
  });

  it('names the user of all its events', () => {
    expect(shown([event('u1'), event('u1')])[0]).toContain('batch of 2 events | u1 |');
  });
});

it('of a large batch has the first thousand events, and how many there are more', () => {
  const batch = Array.from({ length: 2_500 }, () => ({ type: 'track' }));
  const lines = linesAt(undefined, received(JSON.stringify({ batch })), false);
  expect(lines).toHaveLength(1_002);
  expect(lines.at(-1)).toBe('  (1,500 more events)');
});
