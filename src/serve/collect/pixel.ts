/** One transparent pixel. */
export const gif = Buffer.from(
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'base64',
);

/** The JSON text in `data=`: itself, or as base64 of either alphabet. */
export function pixelBody(data: unknown): Buffer {
  const text = typeof data === 'string' ? data.trim() : '';
  if (text.startsWith('{')) return Buffer.from(text);
  // A plus that was not escaped has become a space on its way.
  return Buffer.from(text.replaceAll(' ', '+'), 'base64');
}
