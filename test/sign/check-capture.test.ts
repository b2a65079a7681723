import { describe, expect, it } from 'vitest';
import { checkCapture, noCounts, type CaptureOptions } from '../../src/sign/check-capture.js';
import { sign } from '../../src/sign/x-signature.js';
import { chunksOf } from '../helpers/chunks.js';

const options: CaptureOptions = {
  scheme: 'auto',
  secrets: ['s'],
  nowMs: 0,
  explain: false,
};

async function check(lines: readonly string[]) {
  const counts = noCounts();
  const problems = [];
  const chunks = chunksOf(lines.map((line) => Buffer.from(`${line}\n`)));
  for await (const found of checkCapture(chunks, options, counts)) problems.push(...found);
  return { problems, counts };
}

function request(body: string): string {
  const headers = { 'x-signature': sign(body, 's') };
  return JSON.stringify({ type: 'request', id: '1', method: 'POST', path: '/', headers, body });
}

describe('a dead letter', () => {
  it('is checked as the request that it has', async () => {
    const letter = (members: object) => JSON.stringify({ type: 'dead-letter', ...members });
    const [good, bad] = [request('a'), request('b').replace('"body":"b"', '"body":"c"')];
    const { problems, counts } = await check([
      letter({ source: 'hook', request: JSON.parse(good) as object }),
      letter({ source: 'hook', request: JSON.parse(bad) as object }),
      letter({ source: 'web', event: { type: 'track' } }),
    ]);
    expect(counts).toMatchObject({ read: 3, valid: 1, unreadable: 1 });
    expect(problems).toMatchObject([
      { line: 2, reason: 'mismatch' },
      { line: 3, reason: 'not_a_request', hint: expect.stringContaining('without a request') },
    ]);
  });
});

describe('the longest body that is received', () => {
  it('is checked, even if each of its bytes needs six characters', async () => {
    const line = request('\u0001'.repeat(1_048_576));
    expect(line.length).toBeGreaterThan(6_000_000);
    expect(await check([line, request('a')])).toMatchObject({
      problems: [],
      counts: { read: 2, valid: 2 },
    });
  });

  it('is the limit: a longer line is not kept in memory', async () => {
    const { problems, counts } = await check(['x'.repeat(9_000_000), request('a')]);
    expect(counts).toMatchObject({ read: 2, valid: 1, unreadable: 1 });
    expect(problems).toMatchObject([
      { line: 1, reason: 'not_a_request', hint: expect.stringContaining('8388608 bytes') },
    ]);
  });
});
