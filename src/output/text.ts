import type { ChalkInstance, ColorSupportLevel } from 'chalk';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A chalk for one stream, or one that leaves text alone.
 *
 * `--no-color` (`flag` false) beats FORCE_COLOR, which beats NO_COLOR, as in Node itself; without
 * any of them, a terminal has colours and a pipe or file has none.
 */
export async function colours(
  stream: { readonly isTTY?: boolean },
  env: Environment,
  flag?: boolean,
): Promise<ChalkInstance> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: colourLevel(stream.isTTY === true, env, flag) });
}

/** 0 is no colours, 1 the sixteen that every terminal has. */
export function colourLevel(
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
