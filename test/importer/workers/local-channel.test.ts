import { describe, expect, it } from 'vitest';
import { localChannel } from '../../../src/importer/workers/local-channel.js';

describe('a channel within a thread', () => {
  it('delivers messages in order, also those posted before there is a listener', async () => {
    const { port1, port2 } = localChannel();
    const received: number[] = [];
    port1.postMessage(1);
    await Promise.resolve();
    port2.on<number>('message', (message) => received.push(message));
    port1.postMessage(2);
    expect(received).toEqual([]);
    await Promise.resolve();
    expect(received).toEqual([1, 2]);
  });

  it('closes both ports after the messages that were posted before', async () => {
    const { port1, port2 } = localChannel();
    const seen: string[] = [];
    port1.on<string>('message', (message) => seen.push(message));
    port1.once('close', () => seen.push('1 closed'));
    port2.once('close', () => seen.push('2 closed'));
    port2.postMessage('last');
    port2.close();
    port2.postMessage('too late');
    await Promise.resolve();
    expect(seen).toEqual(['last', '2 closed', '1 closed']);
  });
});
