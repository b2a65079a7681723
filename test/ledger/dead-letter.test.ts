import { expect, it } from 'vitest';
import type { AttemptResult, Outcome } from '../../src/delivery/outcome.js';
import { deadLetterLine } from '../../src/ledger/dead-letter.js';

const attempt = (change: Partial<AttemptResult>): AttemptResult => ({
  ...{ url: 'http://a.example/', attempt: 1, at: 0, durationMs: 1, status: 400, error: null },
  ...{ verdict: 'failed', ...change },
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests inspect any line
function letterOf(attempts: AttemptResult[]): any {
  const outcome: Outcome = {
    verdict: 'failed',
    messageId: 'm1',
    attempts,
    code: 'c',
    message: 'm',
  };
  const origin = { file: 'f', line: 1, offset: 0, length: 2 };
  const line = deadLetterLine({ outcome, origin, bytes: Buffer.from('{}'), isJson: true, at: 0 });
  return JSON.parse(line.toString('utf8'));
}

const response = { headers: { 'content-type': 'text/plain' }, body: 'no "plan"\n' };

it('a dead letter has what the last response said', () => {
  const early = { headers: {}, body: 'early' };
  const letter = letterOf([attempt({ response: early }), attempt({ attempt: 2, response })]);
  expect(letter).toMatchObject({ lastStatus: 400, response });
});

it('a dead letter has no response when the last attempt had none', () => {
  const letter = letterOf([attempt({ response }), attempt({ status: null, error: 'timeout' })]);
  expect(letter).not.toHaveProperty('response');
});

it('a dead letter names a URL that failed, whichever ended last', () => {
  const delivered = attempt({ url: 'http://b.example/', status: 200, verdict: 'delivered' });
  expect(letterOf([attempt({ response }), delivered])).toMatchObject({
    ...{ url: 'http://a.example/', lastStatus: 400, response },
  });
});

it('a dead letter has the offset in place of the line where lines are told by it', () => {
  const outcome: Outcome = { verdict: 'rejected', messageId: undefined, attempts: [], code: 'c' };
  const origin = { file: 'f', line: 1, offset: 70, length: 2 };
  const one = { outcome, origin, bytes: Buffer.from('{}'), isJson: true, at: 0 };
  const line = deadLetterLine({ ...one, locatesByOffset: true }).toString('utf8');
  expect(JSON.parse(line)).toMatchObject({ file: 'f', offset: 70 });
  expect(JSON.parse(line)).not.toHaveProperty('line');
});
