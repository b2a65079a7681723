import type { Command } from 'commander';

/** A flag as it was typed. */
export interface TypedFlag {
  /** In its long form: `--header` also for `-H`. */
  readonly name: string;
  /** Undefined for a flag without a value. */
  readonly value: string | undefined;
}

/**
 * Records the flags of a command in the order in which they are typed; commander keeps only their parsed
 * values. Call it when all options are defined.
 */
export function recordFlags(command: Command): readonly TypedFlag[] {
  const typed: TypedFlag[] = [];
  for (const option of command.options) {
    command.on(`option:${option.name()}`, (value: string | null | undefined) =>
      typed.push({ name: option.long ?? option.flags, value: value ?? undefined }),
    );
  }
  return typed;
}
