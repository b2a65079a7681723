import type { IdPlace } from '../id-place.js';
import { jsonSender, kindsOf, type Sender } from './sender.js';

const data = { order: 'evfwd-check', total: 12, currency: 'EUR' };

/** What is sent where a scheme says nothing of bodies: `hookdeck`, `convoy` and a user's own schemes. */
export function plainSender(id: IdPlace = { path: ['id'] }): Sender {
  return jsonSender({
    kinds: kindsOf({
      'evfwd.check': ({ id: messageId }) => ({
        json: { id: messageId, type: 'evfwd.check', data },
      }),
    }),
    id,
    kind: { path: ['type'] },
    free: ['data'],
  });
}

/** Standard Webhooks and Svix: the id of an event is in a header, which its signature covers. */
export function standardSender(idHeader: string): Sender {
  return jsonSender({
    kinds: kindsOf({
      'evfwd.check': ({ nowMs }) => ({
        json: { type: 'evfwd.check', timestamp: new Date(nowMs).toISOString(), data },
      }),
    }),
    id: { header: idHeader },
    kind: { path: ['type'] },
    free: ['data'],
  });
}
