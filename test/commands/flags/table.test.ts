import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { candidatesFor } from '../../../src/commands/completion/candidates.js';
import { flagsOf, type Flag } from '../../../src/commands/flags/flag.js';
import type { Io } from '../../../src/commands/shared/command.js';
import { commands } from '../../../src/commands/index.js';
import { inProcess } from '../../helpers/in-process.js';

interface DefinedCommand {
  /** `['audience', 'sync']`. */
  readonly path: readonly string[];
  readonly flags: readonly Flag[];
}

/** Every command and subcommand. */
async function definedCommands(): Promise<DefinedCommand[]> {
  const loaded = await Promise.all(
    commands.map(async (entry) => {
      const command = new Command(entry.name);
      (await entry.load()).define(command, {} as never);
      return [command, ...command.commands];
    }),
  );
  return loaded.flat().map((command) => ({
    path: command.parent ? [command.parent.name(), command.name()] : [command.name()],
    flags: flagsOf(command),
  }));
}

const defined = await definedCommands();
const everyName = new Set(defined.flatMap(({ flags }) => flags.map(({ name }) => name)));
const shown = (flags: readonly Flag[]) => flags.filter(({ isHidden }) => !isHidden);

describe.each(defined.map(({ path, flags }) => [path.join(' '), { path, flags }] as const))(
  'each flag of evfwd %s',
  (_name, { path, flags }) => {
    it('is in its help, with its text', async () => {
      const { stdout } = await inProcess([...path, '--help', 'all']);
      const help = stdout.replace(/\s+/g, ' ');
      const missing = shown(flags).filter(
        ({ name, short, value, text }) =>
          !help.includes(
            ` ${[short, name].filter(Boolean).join(', ')}${value ? ` ${value}` : ''} ${text}`,
          ),
      );
      expect(missing).toEqual([]);
    });

    it('is on the page of its command, or on one that this page links to', () => {
      const text = documentation(path[0]!);
      const missing = shown(flags).filter(
        ({ name, short = name }) => !new RegExp(`(?:${name}|\\s${short})(?![\\w-])`).test(text),
      );
      expect(missing.map(({ name }) => name)).toEqual([]);
    });

    it('is completed, as are its values', async () => {
      const io = { cwd: '/', env: {} } as Io;
      const complete = async (...words: string[]) => {
        const { words: found } = await candidatesFor([...path, ...words], commands, io);
        return found.map(({ word }) => word);
      };
      const names = (await complete('--')).filter((name) => !['-h', '--help'].includes(name));
      expect(names).toEqual(shown(flags).flatMap(({ name, short = [] }) => [short, name].flat()));
      for (const { name, value, values = [] } of shown(flags)) {
        if (value === undefined) continue;
        const found = await complete(name, '');
        expect(values.filter((each) => !found.includes(each))).toEqual([]);
      }
    });

    it('names its variable in its text', () => {
      const named = flags.map(({ text }) => /\benv: (\w+)/.exec(text)?.[1]);
      const wrong = flags.filter(
        ({ variable }, i) => named[i] !== undefined && named[i] !== variable,
      );
      expect(wrong).toEqual([]);
    });

    it('is defined once, and names flags that there are', () => {
      const names = flags.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
      const needed = flags.flatMap(({ needs }) => needs?.flag ?? []);
      expect(needed.filter((name) => !names.includes(name))).toEqual([]);
      const excluded = flags.flatMap(({ excludes = {} }) => Object.keys(excludes));
      expect(excluded.filter((name) => !everyName.has(name))).toEqual([]);
    });
  },
);

/** The page of a command in `docs/`, with the pages that it links to, and the README, which has those of all commands. */
function documentation(command: string): string {
  const page = readFileSync(`docs/${command}.md`, 'utf8');
  const linked = [...page.matchAll(/\]\(([\w-]+\.md)/g)].map(([, file]) => file!);
  const files = [...linked.map((file) => `docs/${file}`), 'README.md'];
  return [page, ...files.map((file) => readFileSync(file, 'utf8'))].join('\n');
}
