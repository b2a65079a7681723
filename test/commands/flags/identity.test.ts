import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addFlagGroups, identityOf, type FlagGroups } from '../../../src/commands/flags/flag.js';
import { importFlags } from '../../../src/commands/import/flags.js';
import { replayFlags } from '../../../src/commands/replay/flags.js';
import { folderWith } from '../../helpers/folder.js';

/** The identity of a command line, as it is hashed. */
function identity(groups: FlagGroups, args: readonly string[]): string {
  const command = addFlagGroups(new Command(), groups);
  command.parseOptions([...args]);
  return JSON.stringify(identityOf(groups, command.opts()));
}

describe('the identity of an import', () => {
  it.each([
    ['--since', '36h'],
    ['--until', '2026-10-01'],
    ['--types', 'track'],
    ['--events', 'Order *'],
    ['--users', 'u'],
    ['--sample', '1%'],
    ['--ids', 'new'],
    ['--ignore-integrations'],
  ])('is changed by %s', (...args) => {
    expect(identity(importFlags, args)).not.toBe(identity(importFlags, []));
    expect(identity(importFlags, args)).toBe(identity(importFlags, args));
  });

  it('is changed by the text of --transform', () => {
    const [one, other] = ['null', 'event'].map((result) => {
      const folder = folderWith({ 't.js': `export default (event) => ${result};` });
      return identity(importFlags, ['--transform', `${folder}/t.js`]);
    });
    expect(one).not.toBe(other);
  });

  it('is not changed by speed, limits, state or what is secret', () => {
    const args = ['--rate', '5/s', '--limit', '9', '--shard', '1/2', '--fresh', '--secret', 's'];
    const others = ['--timeout', '1s', '--log', 'l', '--max-failures', '1', '--threads', '2'];
    expect(identity(importFlags, [...args, ...others])).toBe(identity(importFlags, []));
  });
});

describe('the identity of a replay', () => {
  it.each([
    ['--since', '36h'],
    ['--until', '2026-10-01'],
    ['--methods', 'POST'],
    ['--paths', '/a'],
    ['--status', '5xx'],
    ['--compare', 'body'],
  ])('is changed by %s', (...args) => {
    expect(identity(replayFlags, args)).not.toBe(identity(replayFlags, []));
  });
});
