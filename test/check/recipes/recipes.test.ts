import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { recipes } from '../../../src/check/recipes/index.js';
import {
  frameworks,
  languages,
  type Language,
  type SmallRecipe,
} from '../../../src/check/recipes/recipe.js';
import { undefinedInJs, undefinedInPython } from '../fixes/undefined-names.js';

const names = Object.keys(recipes) as SmallRecipe[];
const snippets = names.flatMap((name) =>
  frameworks.map((framework) => ({ name, framework, code: recipes[name][framework] })),
);

describe('the recipes', () => {
  it.each(names)('have all frameworks for %s', (name) => {
    expect(Object.keys(recipes[name])).toEqual([...frameworks]);
  });

  it('are 1 to 22 lines of at most 100 columns, without tabs and spaces at the end', () => {
    const lines = snippets.flatMap(({ name, framework, code }) =>
      code.split('\n').map((line, i) => ({ at: `${name} ${framework} ${i + 1}`, line, i })),
    );
    const wrong = lines.filter(
      ({ line, i }) => line.length > 100 || i >= 22 || /[^\x20-\x7e…]|\s$/.test(line),
    );
    expect(wrong).toEqual([]);
    expect(snippets.filter(({ code }) => code.trim() === '')).toEqual([]);
  });

  it.each(snippetsIn('js'))('define each name in JavaScript: $name for $framework', ({ code }) => {
    expect(undefinedInJs(code)).toEqual([]);
  });

  it('define each name in Python', ({ skip }) => {
    const texts = snippetsIn('python').map(({ code }) => code);
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
    for (const { name, framework, code } of snippetsIn(language)) {
      const input = language === 'php' ? `<?php\n${code}` : code;
      const { status, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
      expect({ name, framework, status, stderr }).toMatchObject({ status: 0 });
    }
  });
});

function snippetsIn(language: Language): typeof snippets {
  return snippets.filter(({ framework }) => languages[framework] === language);
}

/** Those that do not close what they open, where the language itself cannot be asked. */
function open(language: Language): typeof snippets {
  return snippetsIn(language).filter(({ code }) => unclosed(code) !== '');
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
