import { Option, type Command } from 'commander';

/**
 * A flag with everything that is known about it. What commander parses, the help, completion, the checks
 * before a run and the commands that a run prints follow from it.
 */
export interface Flag {
  /** In its long form: `--header`. */
  readonly name: string;
  /** `-H`. */
  readonly short?: string;
  /** `<line>`, or `[line]` if it may be left out. A flag without one is a switch. */
  readonly value?: string;
  readonly text: string;
  /** Turns the value into what the command gets; collects the values of a repeatable flag. */
  readonly parse?: (text: string, previous: never) => unknown;
  readonly default?: unknown;
  /** The environment variable that stands in for it. */
  readonly variable?: string;
  /** Whether it is left out of the help. */
  readonly isHidden?: boolean;

  /**
   * Whether a second value is an error, since it would silently replace the first. Of other flags the last
   * value counts, so that a script can add to flags that it is given.
   */
  readonly once?: boolean;
  /** What to use in place of `-`, for the name of something to write: a file of that name would be made. */
  readonly insteadOfDash?: string;
  /** The flag without which it has no meaning. */
  readonly needs?: { readonly flag: string; readonly reason?: string } | undefined;
  /**
   * Flags that it cannot be used with, and the message, which gets how the other one is set: by its name or
   * its variable.
   */
  readonly excludes?: Readonly<Record<string, (other: string) => string>>;

  /**
   * What is never printed: the value, the value of a header line, user and password of a URL, or a URL with a
   * password. Of
   * other values, queries and passwords of URLs.
   */
  readonly secret?: 'value' | 'header' | 'url' | 'password';
  /**
   * In which printed commands it is repeated, besides those that continue the same run: in those that
   * send dead letters to the same target, in those of them that hold records as they were read, in those for the
   * same store, or `never`, not even in the former.
   */
  readonly repeated?: 'retry' | 'records' | 'store' | 'never';
  /** For a flag that changes what is sent: its part of the identity of a run, which its state is found by. */
  readonly identity?: (value: never) => unknown;

  /** Values for completion; files without any. */
  readonly values?: readonly string[];
  /**
   * Values that are known only at completion, beside `values`: profiles of the configuration file, all
   * signature schemes, or files after `@`.
   */
  readonly completes?: 'profiles' | 'schemes' | 'at-files';
}

/** What a flag may have besides its names and its text. */
type Details = Omit<Flag, 'name' | 'short' | 'value' | 'text'>;

/** A row of a table of flags. @param names as commander reads them: `-H, --header <line>` */
export function flag(names: string, text: string, details: Details = {}): Flag {
  const [, short, name = '', value] = /^(?:(-\w), )?(--[\w-]+)(?: (.+))?$/.exec(names) ?? [];
  return { name, ...(short && { short }), ...(value && { value }), text, ...details };
}

/** A flag as commander knows it. */
export class FlagOption extends Option {
  /** @param isRare whether it is only in the help of `--help all` */
  constructor(
    readonly flag: Flag,
    readonly isRare = false,
  ) {
    const { name, short, value } = flag;
    const names = short === undefined ? name : `${short}, ${name}`;
    super(value === undefined ? names : `${names} ${value}`, flag.text);
    if (flag.parse) this.argParser(flag.parse as (text: string, previous: unknown) => unknown);
    if (flag.default !== undefined) this.default(flag.default);
    if (flag.isHidden) this.hideHelp();
  }
}

/** Adds flags below a heading of the help; without one, below that of the flags before. */
export function addFlags(command: Command, flags: Iterable<Flag>, group?: string): Command {
  if (group !== undefined) command.optionsGroup(group);
  for (const flag of flags) command.addOption(new FlagOption(flag));
  return command;
}

/** The flags of a command below their headings in its help. */
export type FlagGroups = Readonly<Record<string, readonly Flag[]>>;

/** @param common The names of those that the help shows without `--help all`. Default: all. */
export function addFlagGroups(
  command: Command,
  groups: FlagGroups,
  common?: ReadonlySet<string>,
): Command {
  for (const [group, flags] of Object.entries(groups)) {
    command.optionsGroup(group);
    for (const flag of flags) {
      command.addOption(new FlagOption(flag, common && !common.has(flag.name)));
    }
  }
  return command;
}

/** The flags of a command, in the order of its help. */
export function flagsOf(command: Command): Flag[] {
  return flagOptionsOf(command).map(({ flag }) => flag);
}

/** What a command knows of a flag: its option, which has its row. */
export function flagOptionsOf({ options }: Command): FlagOption[] {
  return options.filter((option) => option instanceof FlagOption);
}

/**
 * What is sent as far as flags say it: the values of those that change it, by their names. A flag that is
 * not set is not in it as JSON, so that a further one changes no identity.
 *
 * @param values by attribute, as commander parses them
 */
export function identityOf(groups: FlagGroups, values: object): Record<string, unknown> {
  const known = Object.values(groups)
    .flat()
    .filter(({ identity }) => identity);
  return Object.fromEntries(
    known.map((flag) => {
      const value = (values as Record<string, unknown>)[new FlagOption(flag).attributeName()];
      return [flag.name, flag.identity!(value as never)];
    }),
  );
}

/** A flag as it was typed. */
export interface TypedFlag {
  readonly flag: Flag;
  /** Undefined for a flag without a value. */
  readonly value: string | undefined;
}

/**
 * Records the flags of a command in the order in which they are typed; commander keeps only their parsed
 * values. Call it when all flags are added.
 */
export function recordFlags(command: Command): readonly TypedFlag[] {
  const typed: TypedFlag[] = [];
  for (const option of flagOptionsOf(command)) {
    command.on(`option:${option.name()}`, (value: string | null | undefined) =>
      typed.push({ flag: option.flag, value: value ?? undefined }),
    );
  }
  return typed;
}
