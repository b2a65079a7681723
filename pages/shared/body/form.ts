/** A field of a form, decoded. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** The fields of an `application/x-www-form-urlencoded` body, in their order, duplicates included. */
export function readForm(text: string): FormField[] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return { name: decoded(pair), value: '' };
      return { name: decoded(pair.slice(0, equals)), value: decoded(pair.slice(equals + 1)) };
    });
}

/** As received where its escapes are not UTF-8. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
