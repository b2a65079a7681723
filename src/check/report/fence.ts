/** A Markdown code block whose fence is longer than any row of backticks in the text. */
export function fenced(text: string, language = ''): string {
  const rows = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...rows.map(({ length }) => length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}
