import { expect, it } from 'vitest';
import { curlLines } from '../../../src/check/report/evidence.js';

it('breaks a command before options, not inside of quotes', () => {
  const command = `curl -g -X POST 'http://a/b -H c' -H 'A: it'\\''s -H x' --data-binary $'a\\' -H b'`;
  expect(curlLines(command, 36)).toEqual([
    `curl -g -X POST 'http://a/b -H c' \\`,
    `  -H 'A: it'\\''s -H x' \\`,
    `  --data-binary $'a\\' -H b'`,
  ]);
});

it('breaks a pipe before curl', () => {
  expect(curlLines(`printf '{ curl -X}' | curl -g -X POST 'http://a/'`, 24)).toEqual([
    `printf '{ curl -X}' | \\`,
    `  curl -g \\`,
    `  -X POST 'http://a/'`,
  ]);
});

it('leaves a command that fits on one line', () => {
  expect(curlLines(`curl -g 'http://a/'`, 80)).toEqual([`curl -g 'http://a/'`]);
});

it('is joined by the shell to the same command', () => {
  const command = `curl -g -X POST 'http://a/b' -H 'A: b' -H 'C: d' --data-binary '{}'`;
  const lines = curlLines(command, 20);
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.join('\n').replace(/ \\\n +/g, ' ')).toBe(command);
});
