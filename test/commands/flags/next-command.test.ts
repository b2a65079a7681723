import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  resumeCommand,
  retryCommand,
  variablesFor,
} from '../../../src/commands/flags/next-command.js';
import { define } from '../../../src/commands/import/command.js';
import { variablesText } from '../../../src/commands/shared/next-steps.js';
import { recordFlags, type TypedFlag } from '../../../src/commands/flags/flag.js';
import { folderWith } from '../../helpers/folder.js';
import { execFileSync } from '../../helpers/run-sync.js';

/** The flags of a command line, as `import` records them. */
function typed(...args: string[]): readonly TypedFlag[] {
  const command = new Command('import').exitOverride();
  define(command, {} as never);
  const flags = recordFlags(command);
  command.parseOptions(args);
  return flags;
}

/** The arguments that a shell passes to the program for this command. */
function pasted(command: string): string[] {
  const folder = folderWith();
  const program = join(folder, 'evfwd');
  writeFileSync(program, '#!/bin/sh\nprintf "%s\\0" "$@"\n');
  chmodSync(program, 0o755);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const output = execFileSync('/bin/sh', ['-c', command], { env }).toString();
  return output.split('\0').slice(0, -1);
}

describe('the command that retries dead letters', () => {
  it('has the proxy without its user and password, whatever characters these have', () => {
    const shown = (proxy: string) =>
      retryCommand('dead.ndjson', typed('e', '--url=http://a/', '--proxy', proxy), '/');
    expect(shown('http://proxy.local:3128')).toContain('--proxy http://proxy.local:3128');
    expect(shown('env')).toMatch(/--proxy env$/);
    for (const password of ['hunter2', "hunter'2", 'hunt"er2', 'hun@ter2', 'hun ter2']) {
      expect(shown(`http://user:${password}@proxy.local:3128`)).toContain(
        "--proxy 'http://…@proxy.local:3128'",
      );
    }
  });

  it('has the flags of the target, as they were typed, and none of the selection', () => {
    const flags = typed(
      ...['e', '--url=http://a/hook', '--secret-file', 's.txt', '-p', 'prod', '--timeout', '2s'],
      ...['--types', 'track', '--limit', '9', '--all-urls', '--json', '-q', '--fresh'],
    );
    expect(retryCommand('.evfwd/d.ndjson', flags, '/x')).toBe(
      'evfwd import .evfwd/d.ndjson --url http://a/hook --secret-file s.txt --profile prod --timeout 2s --all-urls',
    );
  });

  it('shows no secret: neither keys, nor header values, nor queries', () => {
    const flags = typed(
      ...['e', '--url', 'https://h/hook?token=abc', '-H', 'Authorization: Bearer abc'],
      ...['--secret', 'abc', '--write-key', 'abc', '--endpoint', 'https://h/b#abc'],
    );
    const command = retryCommand('d', flags, '/x');
    expect(command).not.toContain('abc');
    expect(command).toContain("--url 'https://h/hook?…' -H 'Authorization: …'");
    expect(variablesFor(flags)).toEqual(['EVFWD_SECRET', 'EVFWD_WRITE_KEY']);
  });

  it('has a file for each of several secrets, since a variable has only one', () => {
    const flags = typed('e', '--url', 'http://a', '--secret', 'new1', '--secret=old1');
    const files = ['--secret-file', 'secret-1.txt', '--secret-file', 'secret-2.txt'];
    expect(pasted(retryCommand('d', flags, '/x'))).toEqual([
      ...['import', 'd', '--url', 'http://a', ...files],
    ]);
    expect(pasted(resumeCommand(['e'], flags)!)).toEqual([
      ...['import', 'e', '--url', 'http://a', ...files],
    ]);
    expect(variablesFor(flags)).toEqual([]);
    expect(variablesText(flags)).toBe(
      ' (put the secrets into secret-1.txt and secret-2.txt, newest first)',
    );
    expect(variablesText([...flags, ...typed('--write-key', 'k')])).toContain(
      'newest first; set EVFWD_WRITE_KEY first)',
    );
  });

  it('has the path from here if that is shorter', () => {
    expect(retryCommand('/x/y/d.ndjson', [], '/x')).toBe('evfwd import y/d.ndjson');
    expect(retryCommand('/d', [], '/x/y/z')).toBe('evfwd import /d');
  });
});

describe('the command that resumes an import', () => {
  it('is the same again, without --fresh', () => {
    const flags = typed('e', '--url', 'http://a', '--rate', '10/s', '--fresh', '--no-color');
    expect(resumeCommand(['e'], flags)).toBe(
      'evfwd import e --url http://a --rate 10/s --no-color',
    );
  });

  it.each([
    ['spaces', 'my file.ndjson'],
    ['quotes', `it's "it".ndjson`],
    ['shell syntax', '$(rm -rf x);`y`&*?[a]{b}~#!.ndjson'],
    ['other alphabets', 'süß 日本.ndjson'],
  ])('can be pasted with %s in a file name', (_what, name) => {
    const flags = typed('e', '--url', 'http://a/b?', '--events', `Order *,it's`);
    const command = resumeCommand([name, 'plain'], flags)!;
    expect(pasted(command)).toEqual([
      ...['import', name, 'plain', '--url', 'http://a/b?', '--events', `Order *,it's`],
    ]);
  });

  it('does not take a file for a flag, and keeps control characters from the terminal', () => {
    expect(resumeCommand(['--url'], [])).toBe('evfwd import ./--url');
    expect(resumeCommand(['a\u001b[31m\n'], [])).toBe(String.raw`evfwd import $'a\x1b[31m\x0a'`);
  });

  it('is not shown if it is too long to be read', () => {
    const files = Array.from({ length: 8_000 }, (_, i) => `file-${i}.ndjson`);
    expect(resumeCommand(files, [])).toBeUndefined();
  });
});
