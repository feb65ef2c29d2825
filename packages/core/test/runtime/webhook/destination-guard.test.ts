import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../src/runtime/index.js';

/** First and last address of every closed range, with the open neighbours if there are any. */
const closedV4: readonly (readonly [
  first: string,
  last: string,
  openBefore: string | null,
  openAfter: string | null,
])[] = [
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
];

const hexOf = (v4: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

describe('an IPv4 address', () => {
  it.each(closedV4)('from %s to %s is not public, its neighbours are', (first, last, openBefore, openAfter) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    for (const open of [openBefore, openAfter]) if (open !== null) expect(isPublicAddress(open)).toBe(true);
  });

  it.each(closedV4)('from %s to %s is not public when embedded in an IPv6 address', (first, last) => {
    for (const v4 of [first, last]) {
      const wrapped = [
        `::ffff:${v4}`,
        `::ffff:${hexOf(v4)}`,
        `0:0:0:0:0:FFFF:${hexOf(v4)}`,
        `64:ff9b::${v4}`,
        `64:ff9b::${hexOf(v4)}`,
        `::${v4}`,
        `2002:${hexOf(v4)}::1`,
      ];
      expect(wrapped.filter(isPublicAddress)).toEqual([]);
    }
  });

  it('that is public stays so when mapped or with the well-known NAT64 prefix', () => {
    expect(['8.8.8.8', '::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8'].map(isPublicAddress)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  test.prop([fc.ipV4()])('is treated the same when plain and when mapped', (v4) => {
    expect(isPublicAddress(`::ffff:${hexOf(v4)}`)).toBe(isPublicAddress(v4));
  });
});

describe('an IPv6 address', () => {
  it.each([
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback in full', '0000:0000:0000:0000:0000:0000:0000:0001'],
    ['v4-compatible', '::8.8.8.8'],
    ['v4-translated', '::ffff:0:8.8.8.8'],
    ['local NAT64', '64:ff9b:1::8.8.8.8'],
    ['a longer NAT64 prefix', '64:ff9b:0:0:1::8.8.8.8'],
    ['discard', '100::1'],
    ['Teredo', '2001::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['benchmarks', '2001:2::1'],
    ['ORCHID', '2001:10::1'],
    ['ORCHIDv2', '2001:20::1'],
    ['end of the protocol assignments', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['6to4 of a public address', '2002:808:808::1'],
    ['segment routing', '5f00::1'],
    ['unique local', 'fc00::1'],
    ['unique local, a metadata service', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['just below global unicast', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['just above global unicast', '4000::'],
  ])('(%s) %s is not public', (_name, ip) => {
    expect(isPublicAddress(ip)).toBe(false);
  });

  it.each([
    '2001:200::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80e::200e',
    '2001:4860:4860:0:0:0:0:8888',
    '3ffe:ffff::1',
    '2003::',
  ])('%s is public', (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });

  test.prop([fc.ipV6()])('outside 2000::/3 is public only because of an embedded IPv4 address', (ip) => {
    const [first = ''] = ip.split(':');
    fc.pre(!/^[23][0-9a-f]{3}$/i.test(first));
    if (isPublicAddress(ip)) expect(ip).toMatch(/^(0*64:0*ff9b:|.*ffff:)/i);
  });
});

describe('text that is not an address', () => {
  it.each([
    '',
    'localhost',
    '127.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '8.8.8.8:80',
    '8.8.8.8/32',
    '[2606:4700::1]',
    '1.2.3.4.5',
    '256.1.1.1',
    '%eth0',
  ])('"%s" is not public', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  test.prop([fc.string()])('is not public, and checking never throws', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});
