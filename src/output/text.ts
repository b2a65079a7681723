import type { ColorSupportLevel } from 'chalk';

type Environment = Readonly<Record<string, string | undefined>>;

type Style = (text: string) => string;

/** The styles in use; chalk has these and more. */
export interface Paint {
  readonly bold: Style;
  readonly dim: Style;
  readonly green: Style;
  readonly red: Style;
  readonly yellow: Style;
}

/**
 * Returns styles for one stream, with colors or without.
 *
 * `--no-color` (`flag` false) overrides FORCE_COLOR, which overrides NO_COLOR, as in Node itself;
 * without any of them, a terminal has colors and a pipe or file has none.
 */
export async function colors(
  stream: { readonly isTTY?: boolean },
  env: Environment,
  flag?: boolean,
): Promise<Paint> {
  const level = colorLevel(stream.isTTY === true, env, flag);
  if (level === 0) return plain;
  const { Chalk } = await import('chalk');
  return new Chalk({ level });
}

const unstyled: Style = (text) => text;

/** Avoids loading chalk, which takes 3 ms. */
const plain: Paint = {
  bold: unstyled,
  dim: unstyled,
  green: unstyled,
  red: unstyled,
  yellow: unstyled,
};

/** 0 means no colors, 1 the sixteen colors that every terminal has. */
export function colorLevel(
  isTerminal: boolean,
  env: Environment,
  flag?: boolean,
): ColorSupportLevel {
  if (flag === false) return 0;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forcedLevel(forced);
  if (env.NO_COLOR) return 0;
  return isTerminal && env.TERM !== 'dumb' ? 1 : 0;
}

function forcedLevel(value: string): ColorSupportLevel {
  if (value === '0' || value === 'false') return 0;
  if (value === '2') return 2;
  return value === '3' ? 3 : 1;
}
