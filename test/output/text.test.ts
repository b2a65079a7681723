import { expect, it } from 'vitest';
import { colorLevel, colors } from '../../src/output/text.js';

it.each([
  ['a terminal', true, {}, undefined, 1],
  ['a pipe', false, {}, undefined, 0],
  ['a dumb terminal', true, { TERM: 'dumb' }, undefined, 0],
  ['NO_COLOR', true, { NO_COLOR: '1' }, undefined, 0],
  ['an empty NO_COLOR', true, { NO_COLOR: '' }, undefined, 1],
  ['FORCE_COLOR on a pipe', false, { FORCE_COLOR: '' }, undefined, 1],
  ['FORCE_COLOR with a level', false, { FORCE_COLOR: '3' }, undefined, 3],
  ['FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, undefined, 0],
  ['FORCE_COLOR=false', true, { FORCE_COLOR: 'false' }, undefined, 0],
  ['FORCE_COLOR before NO_COLOR', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, undefined, 1],
  ['--no-color before FORCE_COLOR', true, { FORCE_COLOR: '1' }, false, 0],
  ['no flag given', true, {}, true, 1],
])('the level of colors for %s', (_, isTerminal, env, flag, level) => {
  expect(colorLevel(isTerminal, env, flag)).toBe(level);
});

it('colors follow the stream that is written to', async () => {
  expect((await colors({ isTTY: true }, {})).red('x')).toBe('\u001b[31mx\u001b[39m');
  expect((await colors({}, {})).red('x')).toBe('x');
});
