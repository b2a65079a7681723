import { expect, it } from 'vitest';
import { Findings } from '../../../src/replay/candidate/findings.js';
import { Repeat } from '../../../src/replay/candidate/repeat.js';

const request = { file: 'got', line: 1, method: 'GET', path: '/', hasQuery: false };
const example = () => ({ ...request, headers: [], bodyBytes: 0, body: undefined });

it('groups paths by ids also where requests that are kept for repeats fill their memory', () => {
  const findings = new Findings();
  let number = 0;
  const add = (path: string, member?: string, bytes = 0): void => {
    const values = { baseline: { json: '1' }, candidate: { json: '2' } };
    const at = ['body', member ?? ''];
    const differences = member === undefined ? [] : [{ kind: 'value' as const, at, ...values }];
    const repeat = new Repeat(bytes, () => Promise.resolve(undefined));
    findings.add(findings.group('GET', path), differences, {
      ...{ number: number++, redact: (text: string) => text, example, repeat },
    });
  };
  for (let i = 0; i < 7; i++) add('/large', `m${i}`, 1_000_000);
  for (let i = 0; i < 10_100; i++) add(`/users/${nameOf(i)}`);
  add('/orders', 'total');
  findings.joinGroups();
  expect(findings.differences().at(-1)).toMatchObject({ path: '/orders', at: 'body.total' });
});

/** Of letters alone. */
function nameOf(n: number): string {
  return `name-${String(n).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)}`;
}
