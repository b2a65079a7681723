import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { snippetCode, type SnippetName } from '../../../src/check/fix-files.js';
import { frameworks, type Language, languageOf } from '../../../src/check/fixes/frameworks.js';
import { allChecks } from '../../../src/check/groups/index.js';
import { analytics } from '../../../src/check/senders/analytics.js';
import { undefinedInJs, undefinedInPython } from './undefined-names.js';
import { spawnSync } from '../../helpers/run-sync.js';

const folder = new URL('../../../fixes/snippets/', import.meta.url);
const names = readdirSync(folder)
  .map((file) => file.replace(/\.md$/, '') as SnippetName)
  .sort();
const all = names.flatMap((name) =>
  frameworks.map((framework) => ({ name, framework, code: snippetCode(name, framework) })),
);

describe('the snippets', () => {
  it('are those that checks name', () => {
    const named = allChecks(analytics).flatMap(({ snippet }) => snippet ?? []);
    expect(names).toEqual([...new Set(named)].sort());
  });

  it.each(names)('have a section for each framework, in its language, in %s', (name) => {
    const text = readFileSync(new URL(`${name}.md`, folder), 'utf8');
    const sections = [...text.matchAll(/^## (.*)\n\n```(\w+)$/gm)].map(([, ...section]) => section);
    expect(sections).toEqual(frameworks.map((framework) => [framework, languageOf(framework)]));
  });

  it('are 1 to 22 lines of at most 100 columns, without tabs and spaces at the end', () => {
    const lines = all.flatMap(({ name, framework, code }) =>
      code.split('\n').map((line, i) => ({ at: `${name} ${framework} ${i + 1}`, line, i })),
    );
    const wrong = lines.filter(
      ({ line, i }) => line.length > 100 || i >= 22 || /[^\x20-\x7e…]|\s$/.test(line),
    );
    expect(wrong).toEqual([]);
    expect(all.filter(({ code }) => code.trim() === '')).toEqual([]);
  });

  it.each(allIn('js'))('define each name in JavaScript: $name for $framework', ({ code }) => {
    expect(undefinedInJs(code)).toEqual([]);
  });

  it('define each name in Python', ({ skip }) => {
    const texts = allIn('python').map(({ code }) => code);
    const found = undefinedInPython(texts) ?? skip('no python3 on this machine');
    expect(found).toEqual([]);
  });

  it.each([
    ['go', 'gofmt', ['-e']],
    ['ruby', 'ruby', ['-c']],
    ['php', 'php', ['-l']],
  ] as const)('parse in %s', (language, command, args) => {
    const { error } = spawnSync(command, ['-h']);
    if (error) {
      expect(open(language)).toEqual([]);
      return;
    }
    for (const { name, framework, code } of allIn(language)) {
      const input = language === 'php' ? `<?php\n${code}` : code;
      const { status, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
      expect({ name, framework, status, stderr }).toMatchObject({ status: 0 });
    }
  });
});

function allIn(language: Language): typeof all {
  return all.filter(({ framework }) => languageOf(framework) === language);
}

/** Those that do not close what they open, where the language itself cannot be asked. */
function open(language: Language): typeof all {
  return allIn(language).filter(({ code }) => unclosed(code) !== '');
}

/** The brackets that stay open outside of texts and comments, or close nothing. */
function unclosed(code: string): string {
  const bare = code
    .replace(/(?<!:)\/\/.*$|(?<!\S)# .*$/gm, '')
    .replace(/"[^"\n]*"|'[^'\n]*'/g, '')
    .replace(/[^()[\]{}]/g, '');
  let left = bare;
  let shorter = left.replace(/\(\)|\[\]|\{\}/g, '');
  while (shorter !== left) [left, shorter] = [shorter, shorter.replace(/\(\)|\[\]|\{\}/g, '')];
  return left;
}
