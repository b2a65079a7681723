import { Help, type HelpConfiguration, type Option } from 'commander';

/** The parts of commander's help that read differently here. */
export const helpFormat: HelpConfiguration = {
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
