import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../../../src/check/result.js';
import { against, check, inconclusiveIn, type Bug } from '../helpers/planted.js';
import type { Hook } from '../helpers/hook.js';
import { hmac, secret, verifiers } from '../helpers/right-endpoints.js';

const right = verifiers['x-signature']!;
const given = ({ header }: Hook) => header('x-signature');
const signatureOf = ({ body }: Hook) => hmac('sha1', secret, body);
const forgeries = [
  ...['missing', 'wrong-key', 'tampered', 'swapped', 'empty', 'cut', 'flipped'],
  ...['other-digest', 'content-type', 'empty-body'],
];
/** An empty body is no JSON, which the handler refuses. */
const ofEvents = forgeries.filter((name) => name !== 'empty-body');
const all = (verdict: string, names = forgeries) => names.map((name) => `${verdict} sign.${name}`);
const rawBytes = (...names: string[]) => names.map((name) => `fail sign.raw-bytes.${name}`);

const inconclusiveForgeries = (report: CheckReport) =>
  forgeries.filter((name) => inconclusiveIn(report).includes(`sign.${name}`));

/** Verifies another body than the one that came. */
const of = (change: (text: string) => string) => (hook: Hook) => {
  try {
    return right({ ...hook, body: Buffer.from(change(hook.body.toString())) });
  } catch {
    return false;
  }
};

/** As `json.dumps` of Python writes it. */
const inAscii = (text: string) =>
  JSON.stringify(JSON.parse(text)).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const bugs: readonly (readonly [what: string, bug: Bug, against: readonly string[]])[] = [
  [
    'parses the body and writes it again before it verifies',
    { verify: of((text) => JSON.stringify(JSON.parse(text))) },
    rawBytes('space', 'escapes', 'numbers', 'order', 'newline'),
  ],
  [
    'writes the body again in ASCII',
    { verify: of(inAscii) },
    rawBytes('space', 'escapes', 'numbers', 'unicode', 'order', 'newline'),
  ],
  ['trims the body', { verify: of((text) => text.trim()) }, rawBytes('newline')],
  [
    'removes spaces at the ends of lines',
    { verify: of((text) => text.replace(/\s*\n\s*/g, '')) },
    rawBytes('space', 'newline'),
  ],
  [
    'reads the body as Latin-1',
    { verify: (hook) => right({ ...hook, body: Buffer.from(hook.body.toString('latin1')) }) },
    rawBytes('unicode'),
  ],
  ['verifies nothing', { verify: () => true }, all('fail', ofEvents)],
  [
    'verifies only if there is a signature',
    { verify: (hook) => hook.incoming.headers['x-signature'] === undefined || right(hook) },
    all('fail', ['missing']),
  ],
  [
    'only looks whether there is a signature',
    { verify: (hook) => given(hook) !== '' },
    all(
      'fail',
      ofEvents.filter((name) => !['missing', 'empty'].includes(name)),
    ),
  ],
  [
    'accepts an empty signature',
    { verify: (hook) => hook.incoming.headers['x-signature'] === '' || right(hook) },
    all('fail', ['empty']),
  ],
  [
    'compares up to the shorter length',
    { verify: (hook) => given(hook) !== '' && signatureOf(hook).startsWith(given(hook)) },
    all('fail', ['cut']),
  ],
  [
    'compares as a prefix',
    {
      verify: (hook) =>
        hook.incoming.headers['x-signature'] !== undefined &&
        signatureOf(hook).startsWith(given(hook)),
    },
    all('fail', ['empty', 'cut']),
  ],
  [
    'compares the first half',
    { verify: (hook) => given(hook).slice(0, 20) === signatureOf(hook).slice(0, 20) },
    all('fail', ['cut', 'flipped']),
  ],
  [
    'accepts SHA-256, too',
    { verify: (hook) => right(hook) || given(hook) === hmac('sha256', secret, hook.body) },
    all('fail', ['other-digest']),
  ],
  ['answers 403 to a forged event', { refuse: () => 403 }, []],
  ['answers 500 to a forged event', { refuse: () => 500 }, all('warn')],
  ['answers 200 and not ok', { refuse: () => [200, '{"ok":false}'] }, all('fail')],
  [
    'names the expected signature',
    { refuse: (hook) => [401, `expected ${signatureOf(hook)}`] },
    ['fail sign.leak'],
  ],
  ['names the secret', { refuse: () => [401, `{"secret":"${secret}"}`] }, ['fail sign.leak']],
  [
    'shows a stack trace with 400',
    { refuse: () => [400, new Error('bad signature').stack!] },
    ['fail sign.leak'],
  ],
  [
    'shows a stack trace with 500',
    { refuse: () => [500, 'Traceback (most recent call last):\n  File "app.py", line 3'] },
    [...all('warn'), 'fail sign.leak'],
  ],
  ['repeats the signature that was sent', { refuse: (hook) => [401, `wrong: ${given(hook)}`] }, []],
];

describe.concurrent('a receiver with a bug of its signatures', () => {
  it.each(bugs)('%s', async (_, bug, expected) => {
    expect(against(await check(bug)).toSorted()).toEqual([...expected].toSorted());
  });

  it('answers 404 to a forged event, which says nothing', async () => {
    const report = await check({ refuse: () => 404 });
    expect(against(report)).toEqual([]);
    expect(inconclusiveForgeries(report)).toEqual(forgeries);
    expect(report.summary.score).toBeNull();
    expect(report.incomplete).toMatch(/^sign\.missing, .* was answered HTTP 404/);
  });

  it('refuses everything once it has seen a forged event, so that nothing is known', async () => {
    let isClosed = false;
    const report = await check(
      {
        verify: (hook) => !isClosed && right(hook),
        refuse: () => ((isClosed = true), 403),
      },
      {},
      { only: ['sign'] },
    );
    expect(against(report)).toEqual([]);
    expect(inconclusiveForgeries(report)).toEqual(forgeries);
  });
});
