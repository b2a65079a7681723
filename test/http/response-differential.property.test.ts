import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ResponseReader, type ReadState as State } from '../../src/http/response-reader.js';
import { readByNode, type Reading } from '../helpers/node-response.js';
import { responses } from './response-cases.js';
import { runs } from '../helpers/property-runs.js';

/**
 * The same bytes, cut anywhere, to our reader and to `node:http`. The statuses are equal, but for the
 * differences below; and where we use the connection again, Node does as well.
 */

interface Difference {
  readonly why: string;
  readonly fits: (text: string, ours: Reading, node: Reading) => boolean;
}

const statusLine = /HTTP\/(?:1\.\d|0\.9|2\.0) (\d{1,9})(?:[ \r][^\n]*)?\n/g;

const differences: readonly Difference[] = [
  {
    why: 'The status line decides: what breaks the rules behind it, or in how it is written, costs the connection alone. Trying again would bring the event twice.',
    fits: (text, ours, node) =>
      node.status === undefined &&
      !ours.isReusable &&
      [...text.matchAll(statusLine)].some(([, status]) => Number(status) === ours.status),
  },
  {
    why: 'Node takes ICE and RTSP for HTTP.',
    fits: (text, ours) => ours.status === undefined && /(?:ICE|RTSP)\/\d/.test(text),
  },
];

function readByUs(pieces: readonly Buffer[]): Reading {
  const reader = new ResponseReader();
  // One buffer for all, as on a connection: what is kept has to be copied.
  const buffer = Buffer.alloc(64 * 1024);
  let state: State = 'headers';
  for (const piece of pieces) {
    if (state === 'whole') state = 'over';
    if (state !== 'over') state = reader.read(buffer, piece.copy(buffer));
  }
  return { status: reader.status, isReusable: state === 'whole' };
}

/** Cuts a text into pieces that are not empty. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const inside = places.map((place) => place % bytes.length).filter((place) => place > 0);
  const ends = [...new Set(inside)].sort((a, b) => a - b);
  return [0, ...ends].map((start, i) => bytes.subarray(start, ends[i] ?? bytes.length));
}

async function compare(text: string, places: readonly number[]): Promise<void> {
  const pieces = text === '' ? [] : cut(text, places);
  const ours = readByUs(pieces);
  const node = await readByNode(pieces);
  const isKnown = differences.some(({ fits }) => fits(text, ours, node));
  const what = JSON.stringify({ text, places, ours, node });
  expect(isKnown || ours.status === node.status, what).toBe(true);
  expect(node.isReusable || !ours.isReusable, what).toBe(true);
}

it.each(Object.entries(responses))('is read as Node reads it: %s', async (_name, text) => {
  await compare(text, []);
  await compare(text, [Math.floor(text.length / 2)]);
  if (text.length < 500)
    await compare(
      text,
      Array.from(text, (_, i) => i),
    );
});

/** A change of a text: some bytes are taken out, and others put there. */
interface Change {
  readonly at: number;
  readonly removed: number;
  readonly added: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  removed: fc.constantFrom(0, 0, 1, 1, 2, 5),
  added: fc.oneof(
    fc.constantFrom('', '\r', '\n', '\r\n', ' ', '\t', ':', '0', '1', '9', ';', ',', '\0', '\xff'),
    fc.constantFrom('HTTP/1.1 ', 'HTTP/1.1 100 C\r\n\r\n', 'content-length: 1\r\n', 'a: b\r\n'),
    fc.constantFrom('transfer-encoding: chunked\r\n', 'connection: close\r\n', '0\r\n\r\n'),
    fc.nat(255).map((byte) => String.fromCharCode(byte)),
  ),
});

const text = fc
  .tuple(fc.constantFrom(...Object.values(responses)), fc.array(change, { maxLength: 3 }))
  .map(([response, changes]) => changes.reduce(changed, response));

function changed(text: string, { at, removed, added }: Change): string {
  const start = at % (text.length + 1);
  return text.slice(0, start) + added + text.slice(start + removed);
}

it('is read as Node reads it, whatever is changed in it and however it is cut', async () => {
  await fc.assert(fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 6 }), compare), {
    numRuns: runs(3_000),
  });
});
