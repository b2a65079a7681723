/** A quoted cell, or one up to the next separator or newline; then what ends it. */
const cellForms: Readonly<Record<string, RegExp>> = {
  ',': /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/y,
  ';': /(?:"((?:[^"]|"")*)"|([^;\r\n]*))(;|\r?\n|$)/y,
  '\t': /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/y,
};

/** What separates the cells of a line: the most frequent of the usual ones; undefined without any. */
export function separatorOf(line: string): string | undefined {
  const counts = Object.keys(cellForms).map((each) => [each, line.split(each).length - 1] as const);
  const [separator, count] = counts.reduce((most, each) => (each[1] > most[1] ? each : most));
  return count > 0 ? separator : undefined;
}

/**
 * The first records of separated values, RFC 4180, at most `most`, without blank lines. The last one is
 * left out where the text ends in it, unless `hasEnd`. Stops at a malformed one.
 */
export function recordsOf(
  text: string,
  separator: string,
  { hasEnd, most }: { readonly hasEnd: boolean; readonly most: number },
): string[][] {
  const form = cellForms[separator]!;
  const records: string[][] = [];
  let cells: string[] = [];
  form.lastIndex = 0;
  while (records.length < most && form.lastIndex < text.length) {
    const [, quoted, plain = '', end] = form.exec(text) ?? [];
    if (end === undefined) return records;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === separator || (end === '' && !hasEnd)) continue;
    if (cells.length > 1 || cells[0] !== '') records.push(cells);
    cells = [];
  }
  return records;
}
