import { Help, type Command, type HelpConfiguration, type Option } from 'commander';
import { FlagOption } from '../flags/flag.js';
import { helpFlag } from '../flags/output.js';

/** The parts of commander's help that read differently here. @param showsAll also the rare flags */
export function helpFormat(showsAll: boolean): HelpConfiguration {
  return {
    ...format,
    visibleOptions(command) {
      const options = Help.prototype.visibleOptions.call(this, command);
      return showsAll ? options : options.filter((option) => !isRare(option));
    },
  };
}

const isRare = (option: Option): boolean => option instanceof FlagOption && option.isRare;

/** `--help all`, which commander would take for an argument. */
export function asksForAll(argv: readonly string[]): boolean {
  return argv.some((word, i) => helpNames.includes(word) && argv[i + 1] === 'all');
}

const helpNames: readonly string[] = helpFlag[0].split(', ');

/** Says how many flags a help without the rare ones leaves out. */
export function rareText(command: Command): string {
  const rare = command.options.filter(isRare).length;
  return rare === 0 ? '' : `\nevfwd ${command.name()} --help all shows ${rare} more flags.`;
}

const format: HelpConfiguration = {
  /** Commander would leave descriptions to the terminal if they have less than 40 columns. */
  minWidthToWrap: 16,

  /** Commander would put quotes around a default that is a text. */
  optionDescription({ description, defaultValue, negate }: Option): string {
    const hasDefault = defaultValue !== undefined && !negate;
    return hasDefault ? `${description} (default: ${String(defaultValue)})` : description;
  },

  boxWrap(text: string, width: number): string {
    const joined = text.replace(shortParentheses, (part) => part.replaceAll(' ', joiner));
    return Help.prototype.boxWrap.call(this, joined, width).replaceAll(joiner, ' ');
  },
};

/** `(default: 64)` and its like stay on one line. */
const shortParentheses = /\([^()]{1,30}\)/g;

/** A character for private use, as wide as a space, at which a line is not wrapped. */
const joiner = '\u{E000}';
