/** A pattern for whole texts, in which `*` matches any text. */
export function wildcard(pattern: string): RegExp {
  return new RegExp(`^${pattern.split('*').map(escape).join('.*')}$`, 'su');
}

function escape(text: string): string {
  return text
    .replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
    .replaceAll(String.raw`\-`, String.raw`\x2d`);
}
