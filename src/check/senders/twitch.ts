import { uuidOf } from './ids.js';
import { jsonSender, kindsOf, type EventMarks, type Message, type KnownSender } from './sender.js';

/** Notifications of Twitch EventSub: https://dev.twitch.tv/docs/eventsub/handling-webhook-events */
export const twitch: KnownSender = jsonSender({
  schemes: ['twitch'],
  note: 'with the headers of a notification',
  mark: "event.event?.user_login === 'evfwd_check'",
  kinds: kindsOf({ 'channel.follow': follow }),
  id: { header: 'Twitch-Eventsub-Message-Id' },
  kind: { header: 'Twitch-Eventsub-Subscription-Type' },
  free: ['event', 'evfwd_check'],
});

const type = 'channel.follow';
const [broadcaster, moderator] = ['1000001', '1000002'];

function follow({ nowMs }: EventMarks): Message {
  return {
    json: {
      subscription: {
        id: uuidOf('evfwd-check'),
        status: 'enabled',
        type,
        version: '2',
        cost: 0,
        condition: { broadcaster_user_id: broadcaster, moderator_user_id: moderator },
        transport: { method: 'webhook', callback: 'https://example.com/hook' },
        created_at: new Date(nowMs).toISOString(),
      },
      event: {
        user_id: '1000003',
        user_login: 'evfwd_check',
        user_name: 'evfwd-check',
        broadcaster_user_id: broadcaster,
        broadcaster_user_login: 'evfwd_check',
        broadcaster_user_name: 'evfwd-check',
        followed_at: new Date(nowMs).toISOString(),
      },
    },
    headers: [
      ['Twitch-Eventsub-Message-Retry', '0'],
      ['Twitch-Eventsub-Message-Type', 'notification'],
      ['Twitch-Eventsub-Subscription-Type', type],
      ['Twitch-Eventsub-Subscription-Version', '2'],
    ],
  };
}
