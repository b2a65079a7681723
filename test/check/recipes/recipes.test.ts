import { spawnSync } from 'node:child_process';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { recipes } from '../../../src/check/recipes/index.js';
import {
  frameworks,
  languages,
  type Framework,
  type RecipeName,
} from '../../../src/check/recipes/recipe.js';

const names = Object.keys(recipes) as RecipeName[];
const snippets = names.flatMap((name) =>
  frameworks.map((framework) => ({ name, framework, code: recipes[name][framework] })),
);

describe('the recipes', () => {
  it.each(names)('have all frameworks for %s', (name) => {
    expect(Object.keys(recipes[name])).toEqual([...frameworks]);
  });

  it('are 1 to 6 lines of at most 88 columns, without tabs and spaces at the end', () => {
    const lines = snippets.flatMap(({ name, framework, code }) =>
      code.split('\n').map((line, i) => ({ at: `${name} ${framework} ${i + 1}`, line, i })),
    );
    const wrong = lines.filter(
      ({ line, i }) => line.length > 88 || i >= 6 || /[^\x20-\x7e]|\s$/.test(line),
    );
    expect(wrong).toEqual([]);
    expect(snippets.filter(({ code }) => code.trim() === '')).toEqual([]);
  });

  it.each(snippetsIn('js'))('parse as JavaScript: $name for $framework', ({ code }) => {
    const body = code.replace(/^import .*$/gm, '').replace(/^export (?:default )?/gm, '');
    const isObject = body.trimStart().startsWith('//') && /^\{/m.test(body);
    const text = isObject ? body.replace(/^\{/m, '({').replace(/;$/, ')') : body;
    expect(() => new Script(`async () => {\n${text}\n}`)).not.toThrow();
  });

  it('parse as Python', ({ skip }) => {
    if (spawnSync('python3', ['--version']).status !== 0) skip('no python3 on this machine');
    const texts = snippetsIn('python').map(({ name, framework, code }) => ({
      name: `${name} ${framework}`,
      code: `async def handler():\n${code.replace(/^(?=.)/gm, '    ')}\n    pass\n`,
    }));
    const program =
      'import json, sys\nfor s in json.load(sys.stdin): compile(s["code"], s["name"], "exec")';
    const { status, stderr } = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(texts),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it.each(['go', 'ruby', 'php'])('close what they open in %s', (language) => {
    const open = snippetsIn(language).filter(({ code }) => unclosed(code) !== '');
    expect(open).toEqual([]);
  });
});

function snippetsIn(language: string): { name: string; framework: Framework; code: string }[] {
  return snippets.filter(({ framework }) => languages[framework] === language);
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
