import { quoted } from '../../quoted.js';

/** A part of a rule, as `name=value`; without an equals sign it is a name alone. */
export interface RulePart {
  readonly name: string;
  /** As written, with its spaces. */
  readonly value: string | undefined;
}

/**
 * How an error names a part that is not known, the first one as 0: one without a value may be the rest of
 * a secret that has a comma, so that its position stands for it.
 */
export function unknownPart({ name, value = '' }: RulePart, index: number): string {
  const position = `part ${index + 1}`;
  return /[^=\s]/.test(value) ? quoted(name, position) : position;
}

/** Splits a rule like `status=503,rate=10%` at its commas; `\,` is a comma inside of a value. */
export function ruleParts(text: string): RulePart[] {
  return text.split(/(?<!\\),/).map((written) => {
    const part = written.replaceAll('\\,', ',');
    const equals = part.indexOf('=');
    if (equals < 0) return { name: part.trim(), value: undefined };
    return { name: part.slice(0, equals).trim(), value: part.slice(equals + 1) };
  });
}
