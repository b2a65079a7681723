import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { startEndpoint } from '../../check/helpers/hook.js';
import { secret, verifiers } from '../../check/helpers/right-endpoints.js';
import { cli } from '../../helpers/cli.js';

/** The last status that a command prints; those before it are `100 Continue`. */
async function statusBy(command: string): Promise<number> {
  const child = spawn('sh', ['-c', command]);
  const printed = await text(child.stdout);
  return Number([...printed.matchAll(/^HTTP\/[\d.]+ (\d+)/gm)].at(-1)?.[1]);
}

interface Line {
  readonly id: string;
  readonly verdict: string;
  readonly message: string;
  readonly curl: string | null;
}

/** Wrong in as many ways as can be told apart by their statuses. */
const url = () =>
  startEndpoint(({ body, header, url: address, incoming, ...hook }) => {
    const { method, headers } = incoming;
    if (method === 'GET' || method === 'HEAD') return 503;
    if (address.includes('b%20c')) return 404;
    if ('transfer-encoding' in headers) return 411;
    if (header('content-type') === 'text/plain') return 422;
    if ('expect' in headers) return 417;
    let again = '';
    try {
      again = JSON.stringify(JSON.parse(body.toString()));
    } catch {
      return 500;
    }
    if (again.includes('evfwd-check-previous')) return 409;
    if (again.length > 16_384) return 413;
    const isSigned = verifiers['x-signature']!({
      ...{ header, incoming, url: address, ...hook },
      body: Buffer.from(again),
    });
    return isSigned ? 200 : header('x-signature') === '' ? 202 : 401;
  });

it('each printed command repeats what the check says', async () => {
  const args = ['--json', '--secret', secret, '--skip', 'http.idle', '--skip', 'load'];
  const { stdout } = await cli(['check', await url(), ...args]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const problems = lines.filter(({ message, curl }) => curl && /HTTP \d+/.test(message));
  const said = problems.map(({ id, message }) => [id, Number(/HTTP (\d+)/.exec(message)![1])]);
  const came = await Promise.all(problems.map(async ({ id, curl }) => [id, await statusBy(curl!)]));
  expect(came).toEqual(said);
  const ids = problems.filter(({ verdict }) => verdict !== 'pass').map(({ id }) => id);
  for (const id of ['accept.alias', 'sign.empty', 'sign.raw-bytes.order', 'http.query'])
    expect(ids).toContain(id);
  for (const id of ['http.chunked', 'http.get', 'http.head', 'refuse.empty', 'tolerate.32KB'])
    expect(ids).toContain(id);
});
