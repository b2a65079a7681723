import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { withAt, type KnownSender, type Sender } from '../../../src/check/senders/sender.js';
import { checkEvent, formType, type CheckEvent } from '../../../src/check/events.js';
import { senderOf } from '../../../src/check/senders/index.js';
import { presets } from '../../../src/sign/schemes/index.js';

const nowMs = Date.parse('2026-11-20T08:30:00.000Z');
const schemes = [...presets.values()].map((scheme) => [scheme.name, senderOf(scheme)] as const);
const cases = schemes.flatMap(([name, sender]) =>
  sender.kinds.map((kind) => [name, kind.name, sender, kind] as const),
);

/** Where the id stands that a receiver recognizes a repeat by. */
function idOf(sender: Sender, id: string): unknown {
  const { body, headers, messageId, contentType } = checkEvent(sender, id, { nowMs });
  const place = sender.id!;
  if ('header' in place) {
    const name = place.header.toLowerCase();
    // A scheme that signs the id writes its header itself.
    return headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? messageId;
  }
  if (contentType === formType) return new URLSearchParams(body.toString()).get(place.path[0]!);
  return place.path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown>)[name],
    JSON.parse(body.toString()),
  );
}

/** Whether the filter of a sender takes a request for one of a check. */
function filters({ mark }: KnownSender, { body, headers, contentType }: CheckEvent): boolean {
  const text = body.toString();
  const event: unknown =
    contentType === formType ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
  const req = { get: (name: string) => headers.find(([own]) => own === name)?.[1] };
  return Boolean(runInNewContext(mark, { event, req }));
}

describe('an event of a sender', () => {
  it.each(cases)(
    '%s: %s stays the same when it is parsed and written again',
    (...[, , sender, kind]) => {
      const { body, contentType } = checkEvent(sender, 'evfwd-check-1-x', { kind, nowMs });
      const text = body.toString();
      if (contentType === formType) expect(new URLSearchParams(text).toString()).toBe(text);
      else expect(JSON.stringify(JSON.parse(text))).toBe(text);
    },
  );

  it.each(cases)('%s: %s is marked as one of a check', (...[, , sender, kind]) => {
    const { body, headers } = checkEvent(sender, 'evfwd-check-1-x', { kind, nowMs });
    expect(body.toString() + headers.join()).toMatch(/evfwd[-_.]?check/i);
  });

  it.each(cases)(
    '%s: %s is recognized by the filter of docs/checks.md',
    (...[, , sender, kind]) => {
      const event = checkEvent(sender, 'evfwd-check-1-x', { kind, nowMs });
      // Only its user tells that a deletion notice is of a check.
      expect(filters(sender, event)).toBe(kind.name !== 'delete');
      expect(filters(sender, { ...event, body: Buffer.from('{"id":"1"}'), headers: [] })).toBe(
        false,
      );
    },
  );

  it.each(schemes)(
    '%s: has an id that is the same in a repeat, and another one in the next event',
    (_, sender) => {
      expect(idOf(sender, 'one')).toBeTruthy();
      expect(idOf(sender, 'one')).toBe(idOf(sender, 'one'));
      expect(idOf(sender, 'one')).not.toBe(idOf(sender, 'two'));
    },
  );

  it.each(schemes)('%s: is of a kind that does not exist when that is asked for', (_, sender) => {
    const usual = checkEvent(sender, 'id', { nowMs });
    const unknown = checkEvent(sender, 'id', { nowMs, isUnknownKind: true });
    const { kind } = sender;
    if (kind === undefined) expect(unknown).toEqual(usual);
    else if ('header' in kind) expect(unknown.headers).toContainEqual([kind.header, 'evfwd_check']);
    else {
      const value: unknown = JSON.parse(usual.body.toString());
      expect(JSON.parse(unknown.body.toString())).toEqual(withAt(value, kind.path, 'evfwd_check'));
    }
  });

  it.each(schemes)('%s: holds text as it is written where anything may stand', (_, sender) => {
    const { body, contentType } = checkEvent(sender, 'id', {
      nowMs,
      content: '{ "a$&" : "é\\/" }',
    });
    if (contentType === formType)
      expect(new URLSearchParams(body.toString()).get(sender.free![0]!)).toBe('é/');
    else expect(body.toString()).toContain('{ "a$&" : "é\\/" }');
  });
});

describe('the kinds of events', () => {
  it.each([
    ['x-signature', ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete']],
    ['standard-webhooks', ['evfwd.check']],
    ['github', ['ping', 'push', 'issues', 'pull_request']],
    ['stripe', ['checkout.session.completed', 'invoice.paid', 'customer.updated']],
    ['shopify', ['orders.create', 'products.update', 'app.uninstalled']],
    ['slack', ['message', 'app_mention', 'slash_command']],
    ['twilio', ['incoming_message', 'call_status', 'json']],
    ['twitch', ['channel.follow']],
    ['hookdeck', ['evfwd.check']],
  ])('of %s are %j', (name, names) => {
    const { kinds } = senderOf(presets.get(name));
    expect(new Set(kinds.map((kind) => kind.name))).toEqual(new Set(names));
  });
});
