import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandEntry, Io } from '../../../src/commands/shared/command.js';
import { completionScript } from '../../../src/commands/completion/script.js';
import { shells } from '../../../src/commands/completion/words.js';
import { define } from '../../../src/commands/completion/command.js';
import { addFlags, flag } from '../../../src/commands/flags/flag.js';
import { detectedSchemeFlag, methods, schemeFlag } from '../../../src/commands/flags/signing.js';
import { eventTypes } from '../../../src/events/event.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { fixtureNames } from '../../../src/fixtures/fixtures.js';
import { program } from '../../helpers/cli.js';
import { hasTool } from '../../helpers/tools.js';

const io: Io = {
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: '/',
  exit: () => undefined,
};

const entries: CommandEntry[] = [
  entry('send', (command) => {
    command.argument('[type]');
    addFlags(command, [
      flag('-P, --property <k=v>', "a property, in 'quotes'"),
      flag('--fixture <name>', 'start from: a built-in event', { values: fixtureNames }),
      flag('--types <list>', '', { values: eventTypes }),
      flag('--data <json>', '', { completes: 'at-files' }),
      flag('--config <file>', ''),
      flag('-p, --profile <name>', '', { completes: 'profiles' }),
      schemeFlag,
      flag('--also-scheme <name>', '', { completes: 'schemes' }),
      flag('--dry-run', 'print \\ and send nothing'),
      flag('--ids <how>', 'ids', { values: ['keep', 'new', 'derive'] }),
      flag('--secret-door', '', { isHidden: true }),
    ]);
  }),
  entry('fixtures', (command) => command.argument('[name]')),
  {
    ...entry('verify-sig', (command) =>
      addFlags(command.argument('[body]'), [
        flag('--signature <hex>', ''),
        detectedSchemeFlag,
        flag('--tolerance <d>', '', { values: ['off'] }),
        flag('--method <m>', '', { values: methods }),
      ]),
    ),
    alias: 'verify',
  },
  entry('completion', (command) => command.argument('<shell>')),
  entry('audience', (command) => {
    command.argument('[what]');
    addFlags(command.command('sync'), [flag('--name <name>', ''), flag('--members <file>', '')]);
    addFlags(command.command('trait'), [flag('--name <name>', ''), flag('--values <file>', '')]);
  }),
];

const targetFlags = ['--data', '--config', '--profile', '--scheme', '--also-scheme'];
const presetNames = [...presets.keys()];

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'evfwd-completion-'));
  await mkdir(join(directory, 'files'));
  await writeFile(join(directory, 'files', 'trace.json'), '');
  await writeFile(join(directory, 'files', 'a b.json'), '');
  await writeFile(join(directory, 'evfwd.config.yaml'), profiles('staging', 'prod-eu', unsafe));
  await writeFile(join(directory, 'other.yaml'), profiles('other'));
  const schemes = { acme: {}, stripped: {}, [unsafe]: {} };
  await writeFile(join(directory, 'own.yaml'), JSON.stringify({ schemes }));
  await symlink(program, join(directory, 'evfwd'));
  for (const shell of shells) {
    await writeFile(join(directory, shell), await completionScript(shell, entries, io));
  }
});

/** A shell would run this. */
const unsafe = '$(touch pwned)';

function profiles(...names: string[]): string {
  return JSON.stringify({ profiles: Object.fromEntries(names.map((name) => [name, {}])) });
}

afterAll(() => rm(directory, { recursive: true }));

describe('the bash script', () => {
  it.each<[string[], string[]]>([
    [[''], ['send', 'fixtures', 'verify-sig', 'verify', 'completion', 'audience', 'help']],
    [['ver'], ['verify-sig', 'verify']],
    [
      ['help', 'ver'],
      ['verify-sig', 'verify'],
    ],
    [['send', '--types', 'tr'], ['track']],
    [
      ['send', '--'],
      ['--property', '--fixture', '--types', ...targetFlags, '--dry-run', '--ids', '--help'],
    ],
    [
      ['send', '-'],
      [
        ...['-P', '--property', '--fixture', '--types', '--data', '--config', '-p'],
        ...['--profile', '--scheme', '--also-scheme', '--dry-run', '--ids', '-h', '--help'],
      ],
    ],
    [['send', '--dry-run', '--f'], ['--fixture']],
    [['send', 't'], ['track']],
    [['send', ''], [...eventTypes]],
    [['send', '--fixture', ''], [...fixtureNames]],
    [['send', '--fixture', 'a'], ['alias']],
    [['send', '--fixture', '='], [...fixtureNames]],
    [['send', '--fixture', '=', 's'], ['screen']],
    [
      ['send', '--ids', ''],
      ['keep', 'new', 'derive'],
    ],
    [['send', '-P', ''], []],
    [['send', '-P', '-'], []],
    [['fixtures', 'h'], ['history']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['verify', '--s'],
      ['--signature', '--scheme'],
    ],
    [
      ['audience', ''],
      ['sync', 'trait'],
    ],
    [
      ['audience', 'sync', '--'],
      ['--name', '--members', '--help'],
    ],
    [
      ['audience', 'trait', '--'],
      ['--name', '--values', '--help'],
    ],
    [['audience', 'sync', '--ids', ''], []],
    [['send', '--data', '@', 'files/tra'], ['@files/trace.json']],
    [['send', '--data', '=', '@', 'files/tra'], ['@files/trace.json']],
    [['send', '--data', '=@', 'files/tra'], ['@files/trace.json']],
    [['send', '--data', '@files/tra'], ['@files/trace.json']],
    [['send', '--data', '@', 'files/a b'], ['@files/a\\ b.json']],
    [
      ['send', '--profile', ''],
      ['staging', 'prod-eu'],
    ],
    [['send', '-p', 'prod'], ['prod-eu']],
    [['send', '--config', 'other.yaml', '-p', ''], ['other']],
    [['send', '--config', '=', 'other.yaml', '-p', ''], ['other']],
    [['send', '--config', 'nowhere.yaml', '-p', ''], []],
    [['send', '--scheme', ''], presetNames],
    [
      ['send', '--also-scheme', 'git'],
      ['github', 'github-sha1'],
    ],
    [
      ['send', '--config', 'own.yaml', '--scheme', 's'],
      ['standard-webhooks', 'svix', 'stripe', 'shopify', 'slack', 'stripped'],
    ],
    [['verify-sig', '--scheme', 'a'], ['auto']],
    [['verify-sig', '--tolerance', ''], ['off']],
    [
      ['verify-sig', '--method', 'P'],
      ['POST', 'PUT', 'PATCH'],
    ],
    [['verify-sig', ''], []],
    [['nothing', ''], []],
  ])('completes %j to %j', (words, expected) => {
    expect(completeInBash(words)).toEqual(expected);
  });

  it('offers files after --flag=@', () => {
    expect(completeInBash(['send', '--data', '=@'])).toContain('@evfwd.config.yaml');
  });

  it('leaves the rest to the completion of files', () => {
    const { stdout } = bash('complete -p evfwd');
    expect(stdout).toBe('complete -o default -F _evfwd evfwd\n');
  });
});

describe('the script of every shell', () => {
  it.each(shells)('names all commands and flags but hidden ones: %s', async (shell) => {
    const script = await completionScript(shell, entries, io);
    const long = shell === 'fish' ? '-l ' : '--';
    for (const word of ['verify', 'history', `${long}property`, `${long}dry-run`, 'derive']) {
      expect(script).toContain(word);
    }
    expect(script).not.toContain('secret-door');
    expect(script.endsWith('\n')).toBe(true);
  });

  // Only bash is everywhere.
  const installed = shells.filter((shell) => shell === 'bash' || hasTool(shell));
  it.each(installed)('is accepted by %s', (shell) => {
    const { status, stderr } = spawnSync(shell, ['-n', join(directory, shell)], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it.runIf(hasTool('fish')).each<[string, string[]]>([
    ['evfwd ver', ['verify', 'verify-sig']],
    ['evfwd help fix', ['fixtures']],
    ['evfwd send --fixture a', ['alias']],
    ['evfwd send --dr', ['--dry-run']],
    ['evfwd fixtures h', ['history']],
    ['evfwd verify-sig tra', ['trace.json']],
    ['evfwd send --data @tra', ['@trace.json']],
    ['evfwd send --data=@tra', ['--data=@trace.json']],
    ['evfwd send --profile ', ['prod-eu', 'staging']],
    ['evfwd send --config ../other.yaml --profile ', ['other']],
    ['evfwd send --config ../nowhere.yaml --profile ', []],
    ['evfwd send --also-scheme git', ['github', 'github-sha1']],
    ['evfwd send --config ../own.yaml --scheme a', ['acme']],
    ['evfwd verify-sig --scheme a', ['auto']],
    ['evfwd audience sync --me', ['--members']],
    ['evfwd audience sync --va', []],
    ['evfwd audience trait --va', ['--values']],
    ['evfwd audience s', ['sync']],
  ])('completes in fish: %s', (line, expected) => {
    const command = `source ${join(directory, 'fish')}; complete -C '${line}'`;
    const { stdout } = spawnSync('fish', ['--no-config', '-c', command], {
      encoding: 'utf8',
      cwd: join(directory, 'files'),
      env: environment(),
    });
    const words = stdout.split('\n').map((each) => each.split('\t')[0]);
    expect(words.filter(Boolean)).toEqual(expected);
  });
});

describe('evfwd completion --schemes', () => {
  it('prints the presets and the own schemes that a shell need not quote', () => {
    const { stdout, stderr } = bash('EVFWD_CONFIG=own.yaml evfwd completion --schemes');
    const names = [...presetNames, 'acme', 'stripped'];
    expect({ stdout, stderr }).toEqual({ stdout: `${names.join('\n')}\n`, stderr: '' });
  });

  it('prints the presets without a configuration file', () => {
    const { stdout } = bash('EVFWD_CONFIG=nowhere.yaml evfwd completion --schemes');
    expect(stdout).toBe(`${presetNames.join('\n')}\n`);
  });
});

describe('evfwd completion --profiles', () => {
  it('never prints a name that a shell would have to quote', () => {
    const { stdout, stderr } = bash('evfwd completion --profiles');
    expect({ stdout, stderr }).toEqual({ stdout: 'staging\nprod-eu\n', stderr: '' });
  });

  it.each(['profiles: [', '- 1', 'null', 'profiles: 5'])('prints nothing for %j', async (text) => {
    await writeFile(join(directory, 'broken.yaml'), text);
    const { stdout, stderr } = bash('EVFWD_CONFIG=broken.yaml evfwd completion --profiles');
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  });
});

describe('evfwd completion', () => {
  it.each(['powershell', 'Bash', ''])('lists the shells when asked for %j', async (shell) => {
    await expect(run(shell)).rejects.toThrow(`"${shell}"; use one of bash, zsh, fish`);
  });
});

describe('evfwd completion without a shell', () => {
  it('names what is missing', async () => {
    await expect(run()).rejects.toThrow('missing: a shell (bash, zsh or fish); e.g. evfwd');
  });
});

function entry(name: string, options: (command: Command) => unknown): CommandEntry {
  const load = () => Promise.resolve({ define: (command: Command) => void options(command) });
  return { name, summary: `what ${name}'s for`, load };
}

async function run(shell?: string): Promise<void> {
  const command = new Command();
  define(command, io);
  await command.parseAsync(shell === undefined ? [] : [shell], { from: 'user' });
}

function completeInBash(words: string[]): string[] {
  const quoted = ['evfwd', ...words].map((word) => `'${word}'`).join(' ');
  const { stdout, stderr } = bash(
    `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _evfwd; printf '%s\\n' "\${COMPREPLY[@]}"`,
  );
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

/** In which `evfwd` is this one, and no other configuration is found. */
function environment(): NodeJS.ProcessEnv {
  const { PATH = '' } = process.env;
  return { PATH: `${directory}:${PATH}`, HOME: directory };
}

function bash(line: string) {
  const script = `source '${join(directory, 'bash')}'; ${line}`;
  return spawnSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    cwd: directory,
    env: environment(),
  });
}
