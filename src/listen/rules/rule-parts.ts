/** A part of a rule, as `name=value`; without an equals sign it is a name alone. */
export interface RulePart {
  readonly name: string;
  /** As written, with its spaces. */
  readonly value: string | undefined;
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
