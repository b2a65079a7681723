import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventTypes } from '../../src/events/event.js';
import { version } from '../../src/version.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';

const page = readFileSync(new URL('../../docs/webhook-body.md', import.meta.url), 'utf8');

/** The `$` lines of the transcripts, in order, each with what the page says it prints. */
const examples = [...page.matchAll(/```console\n([^]*?)```/g)].flatMap(([, block]) =>
  block!
    .split(/^\$ /m)
    .slice(1)
    .map((example) => {
      const [command = '', ...output] = example.split('\n');
      return { words: wordsOf(command), output: output.join('\n') };
    }),
);

/** Splits at spaces, except between single quotes. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, inQuotes, plain]) => inQuotes ?? plain!);
}

it('the transcripts of docs/webhook-body.md are what the program prints', async () => {
  const cwd = folderWith();
  expect(examples.length).toBeGreaterThan(4);
  for (const { words, output } of examples) {
    const [program, ...args] = words;
    if (program === 'cat') writeFileSync(join(cwd, args[0]!), output);
    else {
      const shown = output.replace('evfwd/0.1.0', `evfwd/${version}`);
      expect((await inProcess(args, { cwd })).stdout).toBe(shown);
    }
  }
});

/** Every member that an event can have, and one that no body has. */
const full = {
  ...{ channel: 'x', version: 2, integrations: {}, sentAt: 'x', context: {}, properties: {} },
  ...{ traits: {}, category: 'c', name: 'n', event: 'e', groupId: 'g', previousId: 'p' },
  ...{ timestamp: '2026-11-20T08:30:00Z', messageId: 'm', anonymousId: 'a', userId: 'u' },
};

/** The names in a row of the table of members. */
function namesIn(row: string): string[] {
  const cell = row.split('|')[2]!.replace(/\([^)]*\)/g, '');
  return [...cell.split(';')[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
}

it.each(eventTypes)('the members of %s are those of the table', async (type) => {
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const common = namesIn(rows.find((row) => row.startsWith('| all except'))!);
  const typesOf = (row: string): string[] => row.split('|')[1]!.split(/[ ,]+/);
  const own = namesIn(
    rows.find((row) => !row.startsWith('| all') && typesOf(row).includes(`\`${type}\``))!,
  );
  const listed = type === 'delete' ? own : [...common, ...own];
  const expected = type === 'alias' ? listed.filter((name) => name !== 'userId') : listed;
  const data = JSON.stringify({ ...full, type });
  const target = ['--url', 'http://localhost:1/', '--dry-run', '--json'];
  const { stdout } = await inProcess(['send', '--data', data, ...target]);
  const { body } = JSON.parse(stdout) as { body: string };
  expect(Object.keys(JSON.parse(body) as object)).toEqual(expected);
});
