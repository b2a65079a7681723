import { UsageError } from '../../errors.js';
import type { Input } from '../../sources/input.js';
import type { Shard } from '../../sources/shard.js';
import { quoted } from '../../quoted.js';
import { invalidValue } from '../shared/flag-values.js';
import type { TypedFlag } from '../flags/flag.js';

/** The flags that decide on the shard. */
interface ShardFlags {
  readonly shard?: Shard | 'auto';
}

/** `2/8`, counted from 1, or `auto`. */
export function parseShard(text: string): Shard | 'auto' {
  if (text === 'auto') return text;
  const [, number, count] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = shardOf(Number(number) - 1, Number(count));
  if (shard) return shard;
  throw invalidValue(text, 'is not a valid shard; use i/n with i from 1 to n, e.g. 2/8, or auto');
}

function shardOf(index: number, count: number): Shard | undefined {
  const isValid = Number.isSafeInteger(count) && index >= 0 && index < count;
  return isValid ? { index, count } : undefined;
}

export function shardText({ index, count }: Shard): string {
  return `${index + 1}/${count}`;
}

/** Variables that say which of several parallel jobs this one is, by the platform that sets them. */
const variablePairs = [
  // An Indexed Job of Kubernetes sets only the index.
  { index: 'JOB_COMPLETION_INDEX', count: 'JOB_COMPLETIONS', first: 0 },
  { index: 'CI_NODE_INDEX', count: 'CI_NODE_TOTAL', first: 1 },
] as const;

type VariablePair = (typeof variablePairs)[number];

/**
 * The shard of `--shard`; undefined without the flag.
 * @throws UsageError if `auto` finds no shard in the environment
 */
export function resolveShard(flags: ShardFlags, env: NodeJS.ProcessEnv): Shard | undefined {
  if (flags.shard === undefined) return undefined;
  return flags.shard === 'auto' ? shardFrom(env) : flags.shard;
}

function shardFrom(env: NodeJS.ProcessEnv): Shard {
  const pair = variablePairs.find(({ index, count }) => env[index] || env[count]);
  if (pair) return shardFromPair(pair, env);
  const names = variablePairs.map(({ index, count }) => `${index} and ${count}`).join(', nor ');
  throw new UsageError(`--shard auto: neither ${names} are set; set one pair, or use --shard 2/8`);
}

function shardFromPair({ index, count, first }: VariablePair, env: NodeJS.ProcessEnv): Shard {
  const missing = [index, count].find((name) => !env[name]);
  if (missing !== undefined) {
    const present = missing === index ? count : index;
    throw new UsageError(
      `--shard auto: ${present} is set, but ${missing} is not; set both, or use --shard 2/8`,
    );
  }
  const shard = shardOf(wholeNumber(env[index]!) - first, wholeNumber(env[count]!));
  if (shard) return shard;
  const values = `${index} ${quoted(env[index]!, '(hidden)')} and ${count} ${quoted(env[count]!, '(hidden)')}`;
  throw new UsageError(
    `--shard auto: ${values} are not a shard; ${index} must be a whole number from ${first} to ${first === 0 ? `${count} - 1` : count}`,
  );
}

function wholeNumber(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : NaN;
}

/** @throws UsageError for standard input and pipes, which only one process can read. */
export function checkShardInputs(inputs: readonly Input[]): void {
  const pipe = inputs.find(({ isFile }) => !isFile);
  if (!pipe) return;
  const name = pipe.name === '-' ? 'standard input (-)' : pipe.name;
  throw new UsageError(
    `${name} can be read by one process only, so it cannot be used with --shard; save it to a file, or remove --shard`,
  );
}

/** The flags for a command that is printed: it may be pasted where the variables of `auto` are not set. */
export function withShard(typed: readonly TypedFlag[], shard: Shard): TypedFlag[] {
  return typed.map((each) =>
    each.flag.name === '--shard' ? { ...each, value: shardText(shard) } : each,
  );
}
