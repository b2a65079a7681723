/** What fills a file of `fixes/`: texts for `{{name}}`, and conditions for `#if name`. */
export interface Filling {
  readonly texts: Readonly<Record<string, string>>;
  readonly conditions: ReadonlySet<string>;
}

const directive = /^\s*(?:\/\/|#) #(if|else|end)(?: (\w+))?$/;

/**
 * Fills a file of `fixes/`. A comment `#if name` keeps the lines up to its `#else` or `#end` if that
 * condition holds; what stands for `{{name}}` in a line alone is indented as that line is.
 *
 * @throws Error for a placeholder without a text
 */
export function filledFile(file: string, { texts, conditions }: Filling): string {
  const open: boolean[] = [];
  const lines = file.split('\n').filter((line) => {
    const [, word, name = ''] = directive.exec(line) ?? [];
    if (word === 'if') open.push(conditions.has(name));
    else if (word === 'else') open.push(!open.pop());
    else if (word === 'end') open.pop();
    else return !open.includes(false);
    return false;
  });
  return lines.map((line) => filledLine(line, texts)).join('\n');
}

function filledLine(line: string, texts: Filling['texts']): string {
  const [, indent, block] = /^( *)\{\{(\w+)\}\}$/.exec(line) ?? [];
  if (block !== undefined) return textNamed(block, texts).replace(/^(?=.)/gm, indent!);
  return line.replace(/\{\{(\w+)\}\}/g, (_, name: string) => textNamed(name, texts));
}

function textNamed(name: string, texts: Filling['texts']): string {
  const text = texts[name];
  if (text === undefined) throw new Error(`nothing stands for {{${name}}}`);
  return text;
}
