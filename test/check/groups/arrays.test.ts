import { describe, expect, it } from 'vitest';
import { acceptChecks } from '../../../src/check/groups/accept.js';
import { arrayChecks } from '../../../src/check/groups/arrays.js';
import { checksFor } from '../../../src/check/groups/index.js';
import { analytics } from '../../../src/check/senders/analytics.js';
import { batched, joined } from '../../../src/check/senders/batched.js';
import { sampleSender } from '../../../src/check/senders/sample.js';
import { defaultBatch } from '../../../src/webhook/batch-settings.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { evaluate, foundBy } from '../helpers/evaluate.js';
import { startEndpoint, type Answer, type Endpoint, type Hook } from '../helpers/hook.js';
import { rightEndpoint, secret, verifiers, type Verify } from '../helpers/right-endpoints.js';

interface Event {
  readonly type: string;
  readonly messageId?: string;
}

const eventsOf = ({ body }: Hook): Event[] => JSON.parse(body.toString()) as Event[];
const sender = batched(undefined);
const changes = {
  sender,
  batch: defaultBatch,
  signing: { scheme: presets.get('x-signature')!, secrets: [secret] },
};
const checks = [...acceptChecks(sender), ...arrayChecks];
const verify: Verify = verifiers['x-signature']!;

const found = async (endpoint: Endpoint) => foundBy(checks, await startEndpoint(endpoint), changes);

describe('a receiver of arrays', () => {
  it('that verifies the whole body and takes each element passes', async () => {
    const sizes: number[] = [];
    const types = new Set<string>();
    const url = await startEndpoint(
      rightEndpoint(verify, (hook) => {
        const events = eventsOf(hook);
        sizes.push(events.length);
        for (const { type } of events) types.add(type);
        return hook.body.length > 1024 ** 2 ? 413 : 204;
      }),
    );
    const { results, exchanges } = await evaluate(checks, url, changes);
    expect([...results.values()].map(({ outcome }) => outcome)).toEqual(checks.map(() => 'passed'));
    expect(sizes.slice(0, 8)).toEqual([1, 1, 1, 1, 1, 1, 1, 7]);
    expect(types.size).toBe(7);
    const full = exchanges.find(({ checkId }) => checkId === 'batch.full')!.request.body;
    expect(JSON.parse(full.toString())).toHaveLength(100);
    expect(full.length).toBeGreaterThan(500_000);
    expect(full.length).toBeLessThanOrEqual(defaultBatch.maxBytes);
  });

  const limited =
    (bytes: number, answer: Answer): Endpoint =>
    (hook) =>
      !verify(hook) ? 401 : hook.body.length > bytes ? answer : 204;

  it.each<[string, Endpoint, object]>([
    [
      'verifies arrays of one alone',
      (hook) => (eventsOf(hook).length > 1 || verify(hook) ? 204 : 401),
      { 'sign.second-event': 'failed' },
    ],
    [
      'takes arrays of one alone',
      rightEndpoint(verify, (hook) => (eventsOf(hook).length > 1 ? 400 : 204)),
      {
        'batch.several': 'failed',
        'batch.repeat': 'failed',
        'batch.full': 'failed',
        'batch.too-large': 'failed',
      },
    ],
    ['reads 100 KB, else 413', limited(100 * 1024, 413), { 'batch.full': 'failed' }],
    ['breaks over 1 MB', limited(1024 ** 2, 500), { 'batch.too-large': 'failed' }],
  ])('that %s does not', async (_, endpoint, expected) => {
    expect(await found(endpoint)).toEqual(expected);
  });

  it('that answers a repeated element with 409 does not', async () => {
    const seen = new Set<string>();
    const endpoint = rightEndpoint(verify, (hook) => {
      const ids = eventsOf(hook).flatMap(({ messageId }) => messageId ?? []);
      const isConflict = ids.some((id) => seen.has(id));
      for (const id of ids) seen.add(id);
      return isConflict ? 409 : 204;
    });
    expect(await found(endpoint)).toEqual({ 'batch.repeat': 'failed' });
  });

  it('that takes single events alone accepts nothing', async () => {
    const endpoint = rightEndpoint(verify, (hook) => (eventsOf(hook) instanceof Array ? 400 : 204));
    expect(await found(endpoint)).toMatchObject({ 'accept.track': 'failed' });
  });
});

describe('arrays', () => {
  it('are checked only where events come in arrays', () => {
    const ids = (own: typeof sender) => checksFor({ sender: own }).map(({ id }) => id);
    expect(ids(analytics).filter((id) => /^batch\.|second-event/.test(id))).toEqual([
      'batch.first-only',
    ]);
    expect(ids(sender)).toContain('sign.second-event');
  });

  it('have the samples of a user, each in one of its own unless it is one', () => {
    const sampleOf = (text: string) =>
      batched(
        sampleSender([{ name: 'a', text, where: '--body a' }], {
          scheme: undefined,
          id: { path: text.startsWith('[') ? ['0', 'id'] : ['id'] },
          keepsPath: false,
        }),
      );
    for (const text of ['{"type":"x","id":"1"}', '[{"type":"x","id":"1"}]']) {
      const { usual, root, id, free } = sampleOf(text);
      expect(usual.make({ id: 'new', nowMs: 0 }).json).toEqual([{ type: 'x', id: 'new' }]);
      expect({ root, id, free }).toEqual({
        root: ['0'],
        id: { path: ['0', 'id'] },
        free: ['0', 'evfwdCheck'],
      });
    }
    expect(() => sampleOf('a=b&id=1')).toThrow('--batch: a form cannot be in an array');
  });

  it('are joined element by element', () => {
    const event = (text: string) => ({
      body: Buffer.from(text),
      messageId: text,
      contentType: 'application/json',
      headers: [],
    });
    expect(joined(event('[1]'), event('["é"]'), event('[{}]')).body.toString()).toBe('[1,"é",{}]');
  });
});
