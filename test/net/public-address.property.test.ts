import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/net/public-address.js';
import { runs } from '../helpers/property-runs.js';

describe('an address of the public internet', () => {
  it.each([
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
    ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255'],
    ...['172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0', '198.17.255.255'],
    ...['198.20.0.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
    ...['2606:4700:4700::1111', '2001:4860:4860::8888', '2001:db7::1', '2003::1', '3ffe::1'],
    ...['168.63.129.15', '168.63.129.17', '2606:4700::5efe:808:808', '2606:4700::200:5efe:808:808'],
    ...['2606:4700::5eff:7f00:1', '2606:4700::1:5efe:7f00:1'],
    ...['::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '2002:808:808::1'],
  ])('%s is one', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '100.64.0.1',
      '100.127.255.255',
      '127.0.0.1',
      '127.8.8.8',
    ],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1'],
    ...['192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.9'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1'],
    ...['2001:db8::1', '3fff::1', '2001::1', '2001:2::1', '100::1', '5f00::1', '4000::', '8000::'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:FFFF:10.0.0.1', '::ffff:0:127.0.0.1'],
    ...['::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::8.8.8.8'],
    ...['2002:7f00:1::', '2002:c0a8:101::1', '2002:a9fe:a9fe::'],
    // What Azure answers its virtual machines from; the other clouds take link-local or shared addresses.
    ...['168.63.129.16', '::ffff:168.63.129.16', '2002:a83f:8110::', '100.100.100.200'],
    ...['192.0.0.192', 'fd00:ec2::254'],
    // ISATAP.
    ...['2606:4700::5efe:7f00:1', '2606:4700::200:5efe:7f00:1', '2606:4700::5efe:10.0.0.1'],
    ...['2606:4700:1:2:0:5efe:169.254.169.254', '2002:808:808::5efe:7f00:1', 'fe80::5efe:8.8.8.8'],
    ...['', 'localhost', '1.2.3', '127.1', '0x7f.1', '1.2.3.4.5', ':::', '1::2::3'],
  ])('%s is none', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  // Of the IANA registries of special-purpose addresses: those that are not globally reachable.
  it.each([
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
    ...['172.16.0.0/12', '192.0.0.0/24', '192.0.0.0/29', '192.0.0.8/32', '192.0.0.170/32'],
    ...['192.0.0.171/32', '192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
    ...['203.0.113.0/24', '240.0.0.0/4', '255.255.255.255/32'],
    ...['::1/128', '::/128', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64'],
    ...['2001::/32', '2001:2::/48', '2001:10::/28', '2001:20::/28', '2001:30::/28'],
    ...[
      '2001:db8::/32',
      '3fff::/20',
      '5f00::/16',
      'fc00::/7',
      'fe80::/10',
      'fec0::/10',
      'ff00::/8',
    ],
  ])('%s has none, from its first to its last', (network) => {
    const [base = '', prefix = ''] = network.split('/');
    expect([base, lastOf(base, Number(prefix))].map(isPublicAddress)).toEqual([false, false]);
  });

  /** Every way in which an IPv6 address carries an IPv4 one to where it ends. */
  const carriers = [
    (hex: string) => `::ffff:${hex}`,
    (hex: string) => `0:0:0:0:0:FFFF:${hex}`,
    (hex: string) => `::ffff:0:${hex}`,
    (hex: string) => `::${hex}`,
    (hex: string) => `64:ff9b::${hex}`,
    (hex: string) => `2002:${hex}::`,
    (hex: string) => `2002:${hex}:1:2:3:4:5`,
    (hex: string) => `2606:4700::5efe:${hex}`,
    (hex: string) => `2606:4700:1:2:200:5efe:${hex}`,
  ];
  const octet = fc.nat(255);
  const hexOf = (octets: readonly number[]): string =>
    octets
      .map((one) => one.toString(16).padStart(2, '0'))
      .join('')
      .replace(/(.{4})/, '$1:');

  it('is the same one in every form that carries it', () => {
    fc.assert(
      fc.property(
        fc.tuple(octet, octet, octet, octet),
        fc.constantFrom(...carriers),
        (v4, into) => {
          expect(isPublicAddress(into(hexOf(v4)))).toBe(isPublicAddress(v4.join('.')));
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  it('is found by its bits alone, as whoever counts in numbers finds it', () => {
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const isSpecial =
          [0, 10, 127].includes(a) ||
          a >= 224 ||
          (a === 100 && b >= 64 && b < 128) ||
          (a === 169 && b === 254) ||
          (a === 168 && b === 63 && c === 129 && d === 16) ||
          (a === 172 && b >= 16 && b < 32) ||
          (a === 192 && b === 0 && (c === 0 || c === 2)) ||
          (a === 192 && b === 88 && c === 99) ||
          (a === 192 && b === 168) ||
          (a === 198 && (b === 18 || b === 19)) ||
          (a === 198 && b === 51 && c === 100) ||
          (a === 203 && b === 0 && c === 113);
        expect(isPublicAddress([a, b, c, d].join('.'))).toBe(!isSpecial);
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('never is an IPv6 address outside of global unicast that carries nothing', () => {
    const group = fc.nat(0xffff);
    const first = fc.oneof(
      fc.integer({ min: 1, max: 0x1fff }),
      fc.integer({ min: 0x4000, max: 0xffff }),
    );
    fc.assert(
      fc.property(first, fc.array(group, { minLength: 7, maxLength: 7 }), (head, tail) => {
        const groups = [head, ...tail].map((one) => one.toString(16));
        fc.pre(!(head === 0x64 && tail[0] === 0xff9b));
        expect(isPublicAddress(groups.join(':'))).toBe(false);
      }),
    );
  });
});

/** The last address of a network, whose base has zeros behind its prefix. */
function lastOf(base: string, prefix: number): string {
  if (base.includes('.')) {
    const bits = base.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
    const last = bits | ((1n << BigInt(32 - prefix)) - 1n);
    return [24n, 16n, 8n, 0n].map((shift) => String((last >> shift) & 0xffn)).join('.');
  }
  const [before = '', after = ''] = base.split('::');
  const start = before === '' ? [] : before.split(':');
  const end = after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => '0');
  const groups = [...start, ...zeros, ...end];
  const bits = groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
  const last = (bits | ((1n << BigInt(128 - prefix)) - 1n)).toString(16).padStart(32, '0');
  return last.match(/.{4}/g)!.join(':');
}
