import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { systemNetwork } from '../../src/http/network.js';
import { attemptsOf, sendNow, webhooks } from '../helpers/webhooks.js';

it('a URL is not down for what failed since this process has no file left for a connection', async () => {
  const downs: string[] = [];
  const openTcp = (): Socket => {
    const socket = new Socket();
    const error = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return socket.destroy(error);
  };
  const target = webhooks('http://127.0.0.1:9/hook', {
    ...{ handsBack: true, retryWindowMs: 60_000, concurrency: 100 },
    network: { ...systemNetwork, openTcp },
    onDown: (url) => downs.push(url),
  });
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, n) => sendNow(target, `m${n}`)),
  );
  expect(new Set(outcomes.flatMap(attemptsOf))).toEqual(new Set(['local_limit: retry']));
  expect(downs).toEqual([]);
});
