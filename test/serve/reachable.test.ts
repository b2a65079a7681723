import type { networkInterfaces } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { reachableUrls } from '../../src/serve/reachable.js';

const address = (family: 'IPv4' | 'IPv6', text: string, internal = false) =>
  ({ ...{ family, internal }, address: text }) as never;

const interfaces: ReturnType<typeof networkInterfaces> = {
  lo: [address('IPv4', '127.0.0.1', true), address('IPv6', '::1', true)],
  eth0: [address('IPv4', '192.0.2.2'), address('IPv6', 'fd00::2'), address('IPv6', 'fe80::1')],
  wlan0: [address('IPv4', '198.51.100.7')],
};

describe('the URLs by which a server can be reached', () => {
  it('are those of each network address, for a server on all of them', () => {
    const ipv4 = ['http://192.0.2.2:80', 'http://198.51.100.7:80'];
    expect(reachableUrls('0.0.0.0', 80, () => interfaces)).toEqual(ipv4);
    expect(reachableUrls('::', 80, () => interfaces)?.sort()).toEqual([
      ...ipv4,
      'http://[fd00::2]:80',
    ]);
  });

  it('are none on a machine without a network', () => {
    expect(reachableUrls('0.0.0.0', 80, () => ({ lo: interfaces.lo }))).toEqual([]);
  });

  it('are unknown where a sandbox hides the network', () => {
    const list = (): never => {
      throw new Error('uv_interface_addresses returned Unknown system error 97');
    };
    expect(reachableUrls('0.0.0.0', 80, list)).toBeUndefined();
  });

  it('need not be said for one address', () => {
    const list = vi.fn(() => interfaces);
    expect(reachableUrls('127.0.0.1', 80, list)).toBeUndefined();
    expect(list).not.toHaveBeenCalled();
  });
});
