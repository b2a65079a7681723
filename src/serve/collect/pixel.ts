import { replyOf } from './reply.js';

/** One transparent pixel. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export const pixelReply = replyOf(
  200,
  { 'Cache-Control': 'no-store', 'Content-Type': 'image/gif', 'Content-Length': `${gif.length}` },
  gif,
);

/** The JSON text in `data=`: plain, or base64 in either alphabet. */
export function pixelBody(data: unknown): Buffer {
  const text = typeof data === 'string' ? data.trim() : '';
  if (text.startsWith('{')) return Buffer.from(text);
  // An unescaped plus was decoded as a space.
  return Buffer.from(text.replaceAll(' ', '+'), 'base64');
}
