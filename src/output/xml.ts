/** Not allowed in XML 1.0, not even escaped; and tabs and newlines, which attributes turn into spaces. */
const forbidden = /[^\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\x7f-\x9f]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A line of any origin as XML text or the value of an attribute; control characters are left out. */
export function escapeXml(text: string): string {
  return text.replace(forbidden, '').replace(/[&<>"']/g, (character) => entities[character]!);
}
