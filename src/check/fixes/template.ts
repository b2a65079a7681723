/** What fills a file of `fixes/`: texts for `{{name}}`, and conditions for `#if name`. */
export interface Filling {
  readonly texts: Readonly<Record<string, string>>;
  readonly conditions: Readonly<Record<string, boolean>>;
}

const directive = /^\s*(?:\/\/|#) #(if|else|end)(?: (\w+))?$/;

/**
 * Fills a file of `fixes/`. A comment `#if name` keeps the lines up to its `#else` or `#end` if that
 * condition holds; what stands for `{{name}}` in a line alone is indented as that line is.
 *
 * @throws Error for a placeholder without a text, an unknown condition, and an `#if` without its `#end`
 */
export function filledFile(file: string, { texts, conditions }: Filling): string {
  const open: boolean[] = [];
  const lines = file.split('\n').filter((line) => {
    const [, word, name = ''] = directive.exec(line) ?? [];
    if (word === undefined) return !open.includes(false);
    if (word === 'if') open.push(known(conditions[name], `#if ${name}`));
    else {
      const holds = known(open.pop(), `#${word}`);
      if (word === 'else') open.push(!holds);
    }
    return false;
  });
  if (open.length > 0) throw new Error('an #if has no #end');
  return lines.map((line) => filledLine(line, texts)).join('\n');
}

function filledLine(line: string, texts: Filling['texts']): string {
  const textOf = (name: string): string => known(texts[name], `{{${name}}}`);
  const [, indent, block] = /^( *)\{\{(\w+)\}\}$/.exec(line) ?? [];
  if (block !== undefined) return textOf(block).replace(/^(?=.)/gm, indent!);
  return line.replace(/\{\{(\w+)\}\}/g, (_, name: string) => textOf(name));
}

function known<T>(value: T | undefined, directive: string): T {
  if (value === undefined) throw new Error(`${directive} is not known here`);
  return value;
}
