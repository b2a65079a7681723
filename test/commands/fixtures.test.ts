import { PassThrough, Writable } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../src/commands/command.js';
import { define } from '../../src/commands/fixtures.js';
import { fixtureNames, readFixture } from '../../src/events/fixtures.js';
import { history } from '../../src/events/history.js';

describe('evfwd fixtures', () => {
  it('lists every name with what it is', async () => {
    const { lines, exit } = await run();
    expect(lines.map((line) => line.split(/ +/)[0])).toEqual([...fixtureNames, 'history']);
    expect(lines[1]).toBe('track     Order Completed, with two products');
    expect(exit).toBe(0);
  });

  it('lists them as JSON', async () => {
    const { lines } = await run('--json');
    expect(JSON.parse(lines[0]!)).toEqual({
      type: 'fixture',
      name: 'identify',
      summary: 'a new customer with an address',
    });
    expect(lines).toHaveLength(8);
  });

  it.each(fixtureNames)('prints %s on one line', async (name) => {
    const { lines, exit } = await run(name);
    expect(lines).toEqual([(await readFixture(name)).toString()]);
    expect(exit).toBe(0);
  });

  it('prints the history, a line an event', async () => {
    const { lines, exit } = await run('history');
    expect(lines).toEqual([...history()]);
    expect(exit).toBe(0);
  });

  it('prints no more than is read, and ends well when the reader goes away', async () => {
    let written = 0;
    const stdout = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        written++;
        done(written < 3 ? null : Object.assign(new Error('closed'), { code: 'EPIPE' }));
      },
    });
    const { exit } = await run('history', stdout);
    expect(written).toBe(3);
    expect(exit).toBe(0);
  });

  it.each([
    ['histroy', 'history'],
    ['trck', 'track'],
  ])('says that %s might be %s', async (name, nearest) => {
    await expect(run(name)).rejects.toThrow(`did you mean "${nearest}"? There are identify,`);
  });
});

/** Runs the command; the last argument may be a stream to write to. */
async function run(...given: (string | Writable)[]) {
  const stdout = given.find((each) => typeof each !== 'string') ?? new PassThrough();
  const printed: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  let exit: number | undefined;
  const io: Io = {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: {},
    cwd: '/',
    exit: (code) => {
      exit = code;
    },
  };
  const command = new Command();
  define(command, io);
  const words = given.filter((each) => typeof each === 'string');
  await command.parseAsync(words, { from: 'user' });
  const lines = Buffer.concat(printed).toString().split('\n').slice(0, -1);
  return { lines, exit };
}
