import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/check/exchange.js';
import { signingBy } from '../../helpers/signing.js';
import { startEndpoint } from '../helpers/hook.js';
import { evaluate } from '../helpers/evaluate.js';
import { secret } from '../helpers/right-endpoints.js';
import { eventChecks } from '../helpers/sender-checks.js';

interface Marked {
  readonly userId: string;
  readonly messageId: string;
  readonly context: { readonly evfwdCheck: boolean };
}

/** Whether its body is meant to change when it is parsed and written again. */
const isRaw = ({ checkId }: Exchange): boolean => checkId.startsWith('sign.raw-bytes.');

/** A form and an empty body have no marks. */
const isJson = ({ request }: Exchange): boolean =>
  request.body.at(0) !== undefined && '{['.includes(String.fromCharCode(request.body.at(0)!));

describe.each(['x-signature', 'standard-webhooks', 'twilio'])('the requests of %s', (scheme) => {
  const exchangesOf = async (): Promise<readonly Exchange[]> => {
    const [signing] = signingBy(scheme, secret);
    const { exchanges } = await evaluate(eventChecks, await startEndpoint(() => 200), { signing });
    expect(exchanges.length).toBeGreaterThan(30);
    return exchanges.filter(isJson);
  };
  const eventsOf = ({ request }: Exchange): Marked[] =>
    [JSON.parse(request.body.toString()) as Marked | Marked[]].flat();

  it('stay the same when they are parsed and written again, but for sign.raw-bytes', async () => {
    const exchanges = (await exchangesOf()).filter((exchange) => !isRaw(exchange));
    for (const { request } of exchanges) {
      const text = request.body.toString();
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
    }
  });

  it('have safe integers alone', async () => {
    const exchanges = (await exchangesOf()).filter((exchange) => !isRaw(exchange));
    for (const { request } of exchanges) {
      JSON.parse(request.body.toString(), (_, value: unknown) => {
        if (typeof value === 'number') expect(value).toSatisfy(Number.isSafeInteger);
        return value;
      });
    }
  });

  it('are marked as those of a check', async () => {
    for (const exchange of await exchangesOf()) {
      for (const { userId, messageId, context } of eventsOf(exchange)) {
        expect(userId).toBe('evfwd-check');
        expect(messageId).toMatch(/^evfwd-check-[0-9a-f]{8}-[\w.-]+$/);
        expect(context.evfwdCheck).toBe(true);
      }
    }
  });

  it('have a messageId of their own, but for dup.*', async () => {
    const exchanges = (await exchangesOf()).filter(({ checkId }) => !checkId.startsWith('dup.'));
    const ids = exchanges.flatMap(eventsOf).map(({ messageId }) => messageId);
    expect(ids.length).toBe(new Set(ids).size);
  });
});
