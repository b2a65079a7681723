import { once } from 'node:events';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemNetwork } from '../../src/http/network.js';
import { rememberingRefusals } from '../../src/http/untrusted-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const untrusted = Object.assign(new Error('self-signed certificate'), {
  code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
});
const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

/** Connections to a server that ends each handshake with `state.error`, or trusts with undefined. */
function connections() {
  const state: { error: Error | undefined; handshakes: number } = {
    error: untrusted,
    handshakes: 0,
  };
  const clock = new VirtualClock();
  const openTls = (): Socket => {
    state.handshakes++;
    const socket = new Socket();
    if (state.error) return socket.destroy(state.error);
    process.nextTick(() => socket.emit('secureConnect'));
    return socket;
  };
  const network = rememberingRefusals({ ...systemNetwork, openTls }, clock);
  const open = async (times: number): Promise<unknown[]> => {
    const results: unknown[] = [];
    for (let i = 0; i < times; i++) {
      const socket = network.openTls({});
      const trusted = once(socket, 'secureConnect').then(() => 'trusted');
      results.push(await trusted.catch((error: unknown) => error));
    }
    return results;
  };
  return { state, clock, open };
}

describe('a server whose certificate is not trusted', () => {
  it('gets 16 handshakes, then one a second; all connections fail with the same error', async () => {
    const { state, clock, open } = connections();
    expect(new Set(await open(100))).toEqual(new Set([untrusted]));
    expect(state.handshakes).toBe(16);
    clock.advance(1_000);
    expect(new Set(await open(100))).toEqual(new Set([untrusted]));
    expect(state.handshakes).toBe(17);
  });

  it('is trusted again at the first handshake that shows so', async () => {
    const { state, clock, open } = connections();
    await open(20);
    state.error = undefined;
    clock.advance(999);
    expect(await open(1)).toEqual([untrusted]);
    clock.advance(1);
    expect(await open(3)).toEqual(['trusted', 'trusted', 'trusted']);
    state.error = untrusted;
    await open(16);
    expect(state.handshakes).toBe(16 + 3 + 16);
  });

  it.each([
    ['one of several servers is trusted', undefined],
    ['another error comes between', reset],
  ])('is asked each time when %s', async (_what, between) => {
    const { state, open } = connections();
    for (let i = 0; i < 5; i++) {
      state.error = untrusted;
      await open(15);
      state.error = between;
      await open(1);
    }
    expect(state.handshakes).toBe(80);
  });

  it('is no server that resets its connections', async () => {
    const { state, open } = connections();
    state.error = reset;
    await open(100);
    expect(state.handshakes).toBe(100);
  });
});
