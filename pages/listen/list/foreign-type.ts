import type { RequestRow } from '../../../src/api/listen.js';

const eventTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete', 'batch'];

/** A type that is no kind of event but the name of one, as other senders have it: `invoice.paid`. */
export function foreignType({ type, name }: RequestRow): string | null {
  return type !== null && name === null && !eventTypes.includes(type) ? type : null;
}
