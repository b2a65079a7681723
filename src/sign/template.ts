/** A text with placeholders, cut once: literal text and names by turns. */
export type Template = readonly TemplatePart[];

/** Either literal text or the name of a placeholder. */
export type TemplatePart = { readonly text: string } | { readonly name: string };

/** `v0:{timestamp}` → text, placeholder. Braces around anything but letters are text. */
export function templateOf(text: string): Template {
  return text
    .split(/(\{[A-Za-z]+\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{[A-Za-z]+\}$/.test(part) ? { name: part.slice(1, -1) } : { text: part }));
}

/** The names of the placeholders, in their order. */
export function placeholders(text: string): string[] {
  return templateOf(text).flatMap((part) => ('name' in part ? [part.name] : []));
}

/** Puts values in place of the placeholders. */
export function filled(template: Template, values: Readonly<Record<string, string>>): string {
  return template.map((part) => ('text' in part ? part.text : (values[part.name] ?? ''))).join('');
}
