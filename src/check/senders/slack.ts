import { hexOf, seconds } from './ids.js';
import {
  jsonSender,
  type EventKind,
  type EventMarks,
  type Message,
  type KnownSender,
} from './sender.js';

const kinds: readonly EventKind[] = [
  { name: 'message', what: 'a valid message event', make: (marks) => callback(marks, 'message') },
  {
    name: 'app_mention',
    what: 'a valid app_mention event',
    make: (marks) => callback(marks, 'app_mention'),
  },
  { name: 'slash_command', what: 'a valid slash command, as a form', make: slashCommand },
];

/** Events and slash commands of Slack: https://docs.slack.dev/apis/events-api */
export const slack: KnownSender = jsonSender({
  schemes: ['slack'],
  deadlineMs: 3_000,
  mark: "event.team_id === 'TEVFWDCHECK'",
  kinds,
  id: { path: ['event_id'] },
  kind: { path: ['event', 'type'] },
  free: ['event', 'metadata', 'event_payload'],
  hasForms: true,
});

const [team, channel, user] = ['TEVFWDCHECK', 'CEVFWDCHECK', 'UEVFWDCHECK'];

function callback({ id, nowMs }: EventMarks, type: 'message' | 'app_mention'): Message {
  const ts = `${seconds(nowMs)}.000100`;
  const text = type === 'message' ? 'evfwd-check' : '<@UEVFWDCHECK> evfwd-check';
  const metadata = { event_type: 'evfwd_check', event_payload: {} };
  const event = { type, user, text, ts, channel, event_ts: ts, metadata };
  return {
    json: {
      token: 'evfwd-check',
      team_id: team,
      api_app_id: 'AEVFWDCHECK',
      event: type === 'message' ? { ...event, channel_type: 'channel' } : event,
      type: 'event_callback',
      event_id: `EvEVFWDCHECK${hexOf(id, 12).toUpperCase()}`,
      event_time: seconds(nowMs),
      authorizations: [{ enterprise_id: null, team_id: team, user_id: user, is_bot: true }],
      is_ext_shared_channel: false,
    },
  };
}

function slashCommand({ id }: EventMarks): Message {
  return {
    form: Object.entries({
      token: 'evfwd-check',
      team_id: team,
      team_domain: 'evfwd-check',
      channel_id: channel,
      channel_name: 'evfwd-check',
      user_id: user,
      user_name: 'evfwd-check',
      command: '/evfwd-check',
      text: 'hello from a check',
      api_app_id: 'AEVFWDCHECK',
      is_enterprise_install: 'false',
      response_url: 'https://hooks.slack.com/commands/evfwd-check',
      trigger_id: `1.1.${hexOf(id, 16)}`,
    }),
  };
}
