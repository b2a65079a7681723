import { hexOf } from './ids.js';
import {
  jsonSender,
  type EventKind,
  type EventMarks,
  type Message,
  type KnownSender,
} from './sender.js';

const kinds: readonly EventKind[] = [
  { name: 'incoming_message', what: 'a valid incoming message, as a form', make: incomingMessage },
  { name: 'call_status', what: 'a valid call status, as a form', make: callStatus },
  { name: 'json', what: 'a valid event as JSON, with bodySHA256 in the URL', make: jsonEvent },
];

/** Webhooks of Twilio: https://www.twilio.com/docs/usage/webhooks */
export const twilio: KnownSender = jsonSender({
  schemes: ['twilio'],
  note: 'JSON with `bodySHA256` in the URL',
  mark: "event.AccountSid === 'ACeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'",
  kinds,
  id: { path: ['MessageSid'] },
  kind: undefined,
  free: ['Body'],
  hasForms: true,
});

const account = 'ACeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
const [from, to] = ['+15005550006', '+15005550001'];

function incomingMessage({ id }: EventMarks): Message {
  const sid = `SM${hexOf(id, 32)}`;
  return {
    form: Object.entries({
      ToCountry: 'US',
      MessageSid: sid,
      SmsMessageSid: sid,
      SmsSid: sid,
      AccountSid: account,
      From: from,
      To: to,
      Body: 'hello from evfwd-check',
      NumMedia: '0',
      NumSegments: '1',
      SmsStatus: 'received',
      ApiVersion: '2010-04-01',
    }),
  };
}

function callStatus({ id, nowMs }: EventMarks): Message {
  return {
    form: Object.entries({
      CallSid: `CA${hexOf(id, 32)}`,
      AccountSid: account,
      From: from,
      To: to,
      CallStatus: 'completed',
      CallDuration: '12',
      Direction: 'inbound',
      CallerName: 'evfwd-check',
      Timestamp: new Date(nowMs).toUTCString(),
      SequenceNumber: '0',
      ApiVersion: '2010-04-01',
    }),
  };
}

function jsonEvent({ id, nowMs }: EventMarks): Message {
  return {
    json: {
      MessageSid: `SM${hexOf(id, 32)}`,
      AccountSid: account,
      Level: 'WARNING',
      Timestamp: new Date(nowMs).toISOString(),
      Payload: { source: 'evfwd-check' },
    },
  };
}
