import { expect, it } from 'vitest';
import { startEndpoint } from '../../check/helpers/endpoint.js';
import { inProcess } from '../../helpers/in-process.js';

const only = ['--only', 'accept.track', '--only', 'refuse.bad-json'];

it('prints the fixes of the frameworks that --framework names, in their order', async () => {
  // Takes valid events, and breaks over what is no JSON.
  const { url } = await startEndpoint(({ body }) => (body.at(-1) === 0x7d ? 204 : 500));
  const flags = ['--framework', 'go', '--framework', 'flask', '--framework', 'go'];
  const { stdout } = await inProcess(['check', url, ...only, ...flags]);
  expect(stdout.split('\n').filter((line) => line.startsWith('  code '))).toEqual([
    '  code   Go',
    '  code   Flask',
  ]);
  expect(stdout).toContain('\npackage main\n');
  expect(stdout).toContain('\n@app.post("/hook")\n');
});

it('names the frameworks where none is asked for', async () => {
  const { url } = await startEndpoint(({ body }) => (body.at(-1) === 0x7d ? 204 : 500));
  const { stdout } = await inProcess(['check', url, ...only]);
  expect(stdout).toContain('--framework express prints the fixes in code');
});

it.each([
  [['--framework', 'expres'], 'there is no code for "expres"; use express, nextjs'],
  [['--framework', 'go', '--json'], '--framework and --json cannot be combined'],
  [['--framework', 'go', '--quiet'], '--framework and --quiet cannot be combined'],
])('refuses %j', async (flags, message) => {
  const { code, stderr } = await inProcess(['check', 'http://127.0.0.1:1/hook', ...flags]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
