import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commands } from '../../../src/commands/index.js';
import { helpFormat } from '../../../src/commands/shared/help.js';
import { inProcess } from '../../helpers/in-process.js';

const called = commands.map(({ name }) => [name]);

describe('--help', () => {
  it.each([[], ...called, ['audience', 'sync'], ['audience', 'trait']].map((args) => [args]))(
    'of %j fits 80 columns and describes every flag',
    async (args) => {
      const { stdout, code } = await inProcess([...args, '--help']);
      const lines = stdout.split('\n');
      expect(code).toBe(0);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      expect(lines.filter((line) => /^ {2}-/.test(line) && !/ {2,}\S/.test(line.trim()))).toEqual(
        [],
      );
    },
  );

  it('groups the flags of import and send by subject', async () => {
    expect(await groupsOf('import')).toEqual([
      'Arguments',
      'Target',
      'Source',
      'Selection',
      'Changes',
      'Speed',
      'State and failures',
      'Plan',
      'Many machines',
      'Output',
      'Examples',
    ]);
    expect(await groupsOf('send')).toEqual([
      'Arguments',
      'Event',
      'Changes',
      'Target',
      'Output',
      'Examples',
    ]);
  });

  it('shows the usual flags of import, and all with --help all', async () => {
    const [usual, all] = await Promise.all(
      [['--help'], ['-h', 'all']].map((args) => inProcess(['import', ...args])),
    );
    const flagsIn = (text: string): string[] => text.match(/^ {2}(?:-\w, )?--[\w-]+/gm)!;
    const [some, every] = [flagsIn(usual!.stdout), flagsIn(all!.stdout)];
    expect(some).toContain('  --url');
    expect(some).not.toContain('  --also-scheme');
    expect(every).toEqual(expect.arrayContaining(some));
    const text = `evfwd import --help all shows ${every.length - some.length} more flags.`;
    expect([usual!.stdout.includes(text), all!.stdout.includes('--help all')]).toEqual([
      true,
      false,
    ]);
  });

  it('shows every default in the same way', async () => {
    const { stdout } = await inProcess(['import', '--help', 'all']);
    expect(stdout).toContain('(default: keep)');
    expect(stdout).toContain('(default: 64)');
    expect(stdout).toContain('(default: 5s)');
    const texts = await Promise.all(called.map(([name]) => inProcess([name!, '--help'])));
    expect(texts.filter((text) => text.stdout.includes('by default'))).toEqual([]);
  });

  it('is wrapped at the width of a narrow terminal, too', () => {
    const command = new Command('send')
      .configureHelp(helpFormat(true))
      .configureOutput({ getOutHelpWidth: () => 50 })
      .option('--integrations <json>', 'integrations: a JSON object, or @file');
    const lines = command.helpInformation().split('\n');
    expect(lines.filter((line) => line.length > 50)).toEqual([]);
  });

  it('does not break a line inside of a default or the name of a variable', async () => {
    const texts = await Promise.all(called.map(([name]) => inProcess([name!, '--help'])));
    const broken = texts.flatMap(({ stdout }) => stdout.match(/\((?:default|env):\n.*/g) ?? []);
    expect(broken).toEqual([]);
  });
});

async function groupsOf(command: string): Promise<string[]> {
  const { stdout } = await inProcess([command, '--help']);
  return [...stdout.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, name]) => name!);
}
