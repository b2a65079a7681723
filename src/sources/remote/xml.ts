/** An element of an XML document, with the text directly in it. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** Documents of S3 have four levels. */
const maxDepth = 16;

const markup =
  /<\?[^>]*\?>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;

/**
 * Reads the XML that S3 writes: elements and text. Attributes are skipped; there are no document types, and so no
 * entities of their own, which is why a general parser, with all that it can be tricked into, is not needed.
 *
 * @throws SyntaxError
 */
export function parseXml(source: string): XmlElement {
  const root = { name: '', text: '', children: [] as XmlElement[] };
  const open = [root];
  markup.lastIndex = 0;
  for (let at = 0; at < source.length; at = markup.lastIndex) {
    const match = markup.exec(source);
    const parent = open.at(-1)!;
    if (!match) throw new SyntaxError('not XML');
    const [, end, start, , isEmpty, text] = match;
    if (text !== undefined) parent.text += unescaped(text);
    else if (end !== undefined) {
      if (end !== parent.name || open.length === 1) throw new SyntaxError('not XML');
      open.pop();
    } else if (start !== undefined) {
      const element = { name: start, text: '', children: [] };
      parent.children.push(element);
      if (isEmpty === '') open.push(element);
      if (open.length > maxDepth) throw new SyntaxError('too deep');
    }
  }
  const [only, ...others] = root.children;
  if (!only || others.length > 0 || open.length > 1 || root.text.trim() !== '')
    throw new SyntaxError('not XML');
  return only;
}

/** The text of the first such child. */
export function textOf(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function unescaped(text: string): string {
  return text.replace(/&([^;]{0,10};?)/g, (_, name: string) => {
    const entity = /^(?:#(?:x([0-9a-f]+)|(\d+))|(\w+));$/i.exec(name) ?? [];
    const [, hex, decimal, word] = entity;
    const known = word === undefined ? undefined : entities.get(word);
    if (known !== undefined) return known;
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    if (!(code <= 0x10_ffff)) throw new SyntaxError('not XML');
    return String.fromCodePoint(code);
  });
}
