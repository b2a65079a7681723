import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Io } from '../../../src/commands/shared/command.js';
import { commands } from '../../../src/commands/index.js';
import { shells, stubs } from '../../../src/commands/completion/stubs.js';
import { define } from '../../../src/commands/completion/command.js';
import { eventTypes } from '../../../src/events/event.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { fixtureNames } from '../../../src/fixtures/fixtures.js';
import { program } from '../../helpers/cli.js';
import { hasTool } from '../../helpers/tools.js';
import { spawnSync } from '../../helpers/run-sync.js';

const io: Io = {
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: '/',
  exit: () => undefined,
};

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
    await writeFile(join(directory, shell), stubs[shell]);
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
    [[''], [...commands.flatMap(({ name, alias }) => [name, alias ?? []].flat()), 'help']],
    [['ver'], ['verify-sig', 'verify']],
    [
      ['help', 'ver'],
      ['verify-sig', 'verify'],
    ],
    [['import', 'x', '--types', 'tr'], ['track']],
    [
      ['runs', 'show', '-'],
      [
        ...['--store', '--store-schema', '--store-ca', '--require-durable', '--json'],
        ...['-q', '--quiet', '--no-color', '-h', '--help'],
      ],
    ],
    [
      ['demo', '--'],
      ['--no-color', '--machines', '--store', '--store-ca', '--help'],
    ],
    [['send', '--dry-run', '--f'], ['--fixture']],
    [['send', 't'], ['track']],
    [['send', ''], [...eventTypes]],
    [['send', '--fixture', ''], [...fixtureNames]],
    [['send', '--fixture', 'a'], ['alias']],
    [['send', '--fixture', '='], [...fixtureNames]],
    [['send', '--fixture', '=', 's'], ['screen']],
    [
      ['import', '--ids', ''],
      ['keep', 'new', 'derive'],
    ],
    [['send', '-P', ''], []],
    [['send', '-P', '-'], []],
    [['fixtures', 'h'], ['history']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['verify', '--si'], ['--signature']],
    [
      ['audience', ''],
      ['sync', 'trait'],
    ],
    [['audience', 'sync', '--m'], ['--members']],
    [
      ['audience', 'trait', '--v'],
      ['--values', '--verbose'],
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
  // Only bash is everywhere.
  const installed = shells.filter((shell) => shell === 'bash' || hasTool(shell));
  it.each(installed)('is accepted by %s', (shell) => {
    const { status, stderr } = spawnSync(shell, ['-n', join(directory, shell)], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it.runIf(hasTool('zsh')).each<[string, string]>([
    ['evfwd help fix', 'evfwd help fixtures'],
    ['evfwd send --fixture a', 'evfwd send --fixture alias'],
    ['evfwd send --fixture=a', 'evfwd send --fixture=alias'],
    ['evfwd send --dry', 'evfwd send --dry-run'],
    ['evfwd verify-sig tra', 'evfwd verify-sig trace.json'],
    ['evfwd send --data=@tra', 'evfwd send --data=@trace.json'],
    [
      'evfwd send --config ../own.yaml --scheme ac',
      'evfwd send --config ../own.yaml --scheme acme',
    ],
    ['evfwd audience sync --me', 'evfwd audience sync --members'],
  ])('completes in zsh: %s', (line, expected) => {
    expect(completeInZsh(line)).toBe(expected);
  });

  it.runIf(hasTool('fish')).each<[string, string[]]>([
    ['evfwd ver', ['verify', 'verify-sig']],
    ['evfwd help fix', ['fixtures']],
    ['evfwd send --fixture a', ['alias']],
    ['evfwd send --dry', ['--dry-run']],
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
    ['evfwd audience sync --values', []],
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

describe('the names of the configuration file', () => {
  const schemes = 'evfwd __complete bash -- send --scheme ""';
  const profiles = 'evfwd __complete bash -- send --profile ""';

  it.each([
    ['the presets and the own schemes', `EVFWD_CONFIG=own.yaml ${schemes}`, 'acme', 'stripped'],
    ['the presets without a file', `EVFWD_CONFIG=nowhere.yaml ${schemes}`],
  ])('are %s, if a shell need not quote them', (_what, line, ...own) => {
    const { stdout, stderr } = bash(line);
    const names = ['words', ...presetNames, ...own];
    expect({ stdout, stderr }).toEqual({ stdout: `${names.join('\n')}\n`, stderr: '' });
  });

  it('are the profiles that a shell need not quote', () => {
    const { stdout, stderr } = bash(profiles);
    expect({ stdout, stderr }).toEqual({ stdout: 'words\nstaging\nprod-eu\n', stderr: '' });
  });

  it.each(['profiles: [', '- 1', 'null', 'profiles: 5'])('are none of %j', async (text) => {
    await writeFile(join(directory, 'broken.yaml'), text);
    const { stdout, stderr } = bash(`EVFWD_CONFIG=broken.yaml ${profiles}`);
    expect({ stdout, stderr }).toEqual({ stdout: 'words\n', stderr: '' });
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

/** The line after Tab, as an interactive zsh has it. */
function completeInZsh(line: string): string {
  const { stdout } = spawnSync('zsh', ['-f', '-c', zshSession, 'zsh', directory, line], {
    encoding: 'utf8',
    cwd: join(directory, 'files'),
    env: environment(),
    timeout: 20_000,
  });
  return stdout.trim();
}

/** Ctrl-X is bound to a widget that writes down the line, as no output of a terminal says it. */
const zshSession = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "show() { print -r -- \\$BUFFER > $1/line.new; mv $1/line.new $1/line }"
zpty -w shell "autoload -Uz compinit; compinit -u -D; source $1/zsh; zle -N show; bindkey '^X' show; echo RE''ADY"
zpty -r -m shell output '*READY*'
zpty -w -n shell "$2"$'\\t\\C-x'
while [[ ! -f $1/line ]]; do sleep 0.02; done
cat $1/line; rm $1/line
`;

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
