import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { define } from '../../src/commands/check/command.js';

const text = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const github = text('examples/ci/github-actions-check.yml');
const gitlab = text('examples/ci/gitlab-ci-check.yml');
const page = text('docs/check.md');

/** The flags of `evfwd check`, as commander knows them. */
function knownFlags(): string[] {
  const command = new Command('check');
  const streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  define(command, { ...streams, env: {}, cwd: '.', exit: () => undefined });
  return command.options.flatMap(({ short, long }) => [short, long]).filter((f) => f !== undefined);
}

function flagsOf(line: string): string[] {
  const own = line.slice(line.indexOf('evfwd check')).replace(/'[^']*'|"[^"]*"/g, "''");
  return own.match(/(?<=\s)--?[a-z][\w-]*/g) ?? [];
}

describe('the examples of check', () => {
  const commands = [github, gitlab, page].map((part) =>
    part.split('\n').filter((line) => /evfwd check (?!--)["h]/.test(line)),
  );

  it('use flags that exist', () => {
    expect(commands.map(({ length }) => length > 0)).toEqual([true, true, true]);
    const used = commands.flat().flatMap(flagsOf);
    expect(used.length).toBeGreaterThan(8);
    expect(used.filter((flag) => !knownFlags().includes(flag))).toEqual([]);
  });

  it('are documented with flags that exist', () => {
    const named = [...page.matchAll(/`(--[a-z][a-z-]*)/g)].map(([, flag]) => flag!);
    expect(named.filter((flag) => !knownFlags().includes(flag))).toEqual([]);
  });

  it('keep on GitHub what was written, also of a check that failed', () => {
    const workflow = parse(github) as {
      jobs: { check: { steps: { uses?: string; if?: string; run?: string; with?: object }[] } };
    };
    const { steps } = workflow.jobs.check;
    expect(steps.map(({ run }) => run?.trim())).toContain(commands[0]![0]!.replace(/^ +run: /, ''));
    const after = steps.filter(({ uses }) => uses?.includes('upload'));
    expect(after.map((step) => step.if)).toEqual(['always()', 'always()']);
    expect(after.at(-1)!.with).toEqual({ sarif_file: 'check.sarif' });
  });

  it('keep on GitLab what was written, also of a check that failed', () => {
    const { endpoint } = parse(gitlab) as {
      endpoint: { script: string[]; artifacts: object };
    };
    expect(endpoint.script).toEqual([
      expect.stringContaining('evfwd check "$HOOK" --junit check.xml'),
    ]);
    expect(endpoint.artifacts).toEqual({
      ...{ when: 'always', paths: ['check.html'], reports: { junit: 'check.xml' } },
    });
  });
});
