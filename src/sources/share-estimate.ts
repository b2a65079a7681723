import type { Input } from './input.js';
import { estimateLines } from './line-estimate.js';
import { ownBytes, type FileShare } from './shard.js';

/**
 * Estimates how many lines that are not blank a shard has, as `estimateLines` does for whole files. Of a
 * divided file, as many as its bytes: blocks of all parts of the file are alike.
 */
export async function estimateShare(
  inputs: readonly Input[],
  shares: readonly FileShare[],
): Promise<number | undefined> {
  const parts = inputs.map((input, index): Part => {
    const { size = 0 } = input;
    return { input, size, own: ownBytes(shares[index]!, size) };
  });
  const divided = parts.filter(({ own, size }) => own > 0 && own < size);
  const whole = await estimateLines(inputsOf(parts.filter(({ own, size }) => own === size)));
  const lines = await estimateLines(inputsOf(divided));
  if (whole === undefined || lines === undefined) return undefined;
  const bytes = sum(divided.map(({ size }) => size));
  const ownPart = bytes > 0 ? sum(divided.map(({ own }) => own)) / bytes : 0;
  return whole + Math.round(lines * ownPart);
}

interface Part {
  readonly input: Input;
  /** Of the whole input, in bytes. */
  readonly size: number;
  /** How many of them the shard has. */
  readonly own: number;
}

function inputsOf(parts: readonly Part[]): Input[] {
  return parts.map(({ input }) => input);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
