import { afterEach, describe, expect, it } from 'vitest';
import { inProcess as cli } from '../../helpers/in-process.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';

const receivers: Receiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function urlOf(status: number): Promise<string> {
  const receiver = await startReceiver(() => ({ status }));
  receivers.push(receiver);
  return receiver.url;
}

async function send(statuses: readonly number[], expected: string, ...more: string[]) {
  const urls = await Promise.all(statuses.map(urlOf));
  const targets = urls.flatMap((url) => ['--url', url]);
  return cli(['send', '--fixture', 'track', ...targets, '--expect-status', expected, ...more]);
}

describe('--expect-status', () => {
  it.each([
    [[401], '401'],
    [[404], '4xx'],
    [[503], '5XX'],
    [[204], '2xx'],
    [[401, 403], '4xx'],
  ])('exits 0 if every URL responds so: %j, %s', async (statuses, expected) => {
    const { code, stdout } = await send(statuses, expected);
    expect(stdout.match(/^as expected {2}http\S+ {2}\d{3} {2}[\d.]+ m?s$/gm)).toHaveLength(
      statuses.length,
    );
    expect(code).toBe(0);
  });

  it.each([
    [[200], '401', '200  '],
    [[401, 200], '4xx', '200  '],
    [[200, 401], '2xx', '401  '],
  ])('exits 1 if one does not: %j, %s', async (statuses, expected, shown) => {
    const { code, stdout } = await send(statuses, expected);
    expect(stdout).toMatch(
      new RegExp(`^not as expected {2}http\\S+ {2}${shown}.* {2}expected ${expected}$`, 'm'),
    );
    expect(code).toBe(1);
  });

  it('is not met without a response', async () => {
    const target = ['--url', 'http://127.0.0.1:1/', '--expect-status', '5xx'];
    const { code, stdout } = await cli(['send', '--fixture', 'track', ...target]);
    expect(stdout).toContain('  connection refused  ');
    expect(code).toBe(1);
  });

  it('is in the result of --json, with whether it was met', async () => {
    const met = await send([401], '401', '--json');
    expect(JSON.parse(met.stdout)).toMatchObject({
      ...{ type: 'result', delivered: false, expectedStatus: '401', met: true },
      attempts: [{ status: 401 }],
    });
    const unmet = await send([200], '4xx', '--json');
    expect(JSON.parse(unmet.stdout)).toMatchObject({ expectedStatus: '4xx', met: false });
    expect(unmet.code).toBe(1);
  });
});
