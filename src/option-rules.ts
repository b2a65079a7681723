import { UsageError } from './errors.js';
import { checkOptionNames } from './option-names.js';

/** What an option of the library may be. */
export interface OptionRule {
  readonly accepts: (value: unknown) => boolean;
  /** The end of the sentence `<option> must be …`. */
  readonly form: string;
}

/** A rule for each option, so that the compiler notices a missing one. */
export type OptionRules<Options> = Readonly<Record<keyof Options, OptionRule>>;

/**
 * Checks names and types of what a caller of the library passes; an option that is undefined is absent.
 *
 * @param where begins messages: `verify[0]: `, or nothing
 * @throws UsageError that names the option, never its value
 */
export function checkOptions<Options extends object>(
  options: Options,
  rules: OptionRules<Options>,
  where = '',
): void {
  checkOptionNames(options, rules, where);
  for (const [name, { accepts, form }] of Object.entries<OptionRule>(rules)) {
    const value: unknown = options[name as keyof Options];
    if (value !== undefined && !accepts(value)) {
      throw new UsageError(`${where}${name} must be ${form}`);
    }
  }
}

export const optionRules = {
  text: { accepts: (value) => typeof value === 'string', form: 'a text' },
  texts: { accepts: isListOf((one) => typeof one === 'string'), form: 'a list of texts' },
  flag: { accepts: (value) => typeof value === 'boolean', form: 'true or false' },
  whole: { accepts: Number.isSafeInteger, form: 'a whole number' },
  count: {
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
    form: 'a whole number of at least 1',
  },
  milliseconds: {
    accepts: (value) => Number.isFinite(value) && (value as number) >= 0,
    form: 'a number of milliseconds, 0 or more',
  },
  someMilliseconds: {
    accepts: (value) => Number.isFinite(value) && (value as number) > 0,
    form: 'a number of milliseconds above 0',
  },
} as const satisfies Record<string, OptionRule>;

export function isListOf(accepts: (one: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(accepts);
}
