import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientNetwork, isInNetworks, networkProblem } from '../../../src/domain/limits/client-network.js';
import { forAll } from '../for-all.js';

const byte = fc.nat({ max: 255 });
const group = fc.nat({ max: 0xffff });
const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'));
const network = fc.tuple(group, group, group, group).filter(([a]) => a !== 0);
const host = fc.tuple(group, group, group, group);

/** One IPv6 address of eight numbers in some notation. */
const spelling = fc.record({
  pad: fc.boolean(),
  upper: fc.boolean(),
  zone: fc.constantFrom('', '%eth0', '%1'),
  around: fc.constantFrom(
    (text: string) => text,
    (text: string) => `[${text}]`,
    (text: string) => `[${text}]:65535`,
    (text: string) => ` ${text} `,
  ),
  compress: fc.boolean(),
});

type Spelling = typeof spelling extends fc.Arbitrary<infer Value> ? Value : never;

function spelled(groups: readonly number[], how: Spelling): string {
  const parts = groups.map((number) => number.toString(16).padStart(how.pad ? 4 : 1, '0'));
  const text = how.compress ? parts.join(':').replace(/(?:^|:)0+(?::0+)+(?::|$)/, '::') : parts.join(':');
  return how.around((how.upper ? text.toUpperCase() : text) + how.zone);
}

describe('the rate-limit identity of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[203.0.113.7]:80', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:CB00:7107', '203.0.113.7'],
    ['[0:0:0:0:0:ffff:203.0.113.7]:443', '203.0.113.7'],
    ['2001:DB8:0:1::1', '2001:db8:0:1::/64'],
    ['[2001:db8:0:1:ffff::]:443', '2001:db8:0:1::/64'],
    ['2001:0db8:0000:0001:0:0:0:1', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
  ])('%s is %s', (address, expected) => {
    expect(clientNetwork(address)).toBe(expected);
  });

  it.each([
    '',
    'unknown',
    'unix:',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '::ffff:203.0.113.256',
    'g::1',
    '203.0.113.7:port',
  ])('what is no address, such as %j, stands for itself', (text) => {
    expect(clientNetwork(text)).toBe(text);
  });

  it('text that is not an address is cut to the maximum length of a key', () => {
    expect(clientNetwork(':'.repeat(10_000))).toHaveLength(64);
  });

  forAll([network, host, host, spelling, spelling])(
    'is one for all of a /64, however each address is spelled',
    (net, one, other, how, else_) => {
      expect(clientNetwork(spelled([...net, ...one], how))).toBe(clientNetwork(spelled([...net, ...other], else_)));
    },
  );

  forAll([network, network, host, spelling])('is another in another /64', (net, other, own, how) => {
    fc.pre(net.join() !== other.join());
    expect(clientNetwork(spelled([...net, ...own], how))).not.toBe(clientNetwork(spelled([...other, ...own], how)));
  });

  forAll([ipv4, ipv4])('is one IPv4 address and no other, mapped into IPv6 or not', (one, other) => {
    expect(clientNetwork(`[::FFFF:${one}]:1`)).toBe(one);
    if (one !== other) expect(clientNetwork(one)).not.toBe(clientNetwork(`::ffff:${other}`));
  });

  forAll([fc.oneof(fc.string(), fc.ipV6(), fc.stringMatching(/^[0-9a-f:.%[\]]{0,40}$/))])(
    'is found for any text, and stays what it is',
    (text) => {
      const found = clientNetwork(text);
      expect(found.length).toBeLessThanOrEqual(64);
      expect(clientNetwork(found)).toBe(found);
    },
  );
});

/** A network of either family: the address and a prefix length. */
const anyNetwork = fc.oneof(
  fc.record({ address: ipv4, length: fc.nat({ max: 32 }), family: fc.constant('ipv4' as const) }),
  fc.record({
    address: fc.tuple(network, host).map(([first, last]) => plainIpv6([...first, ...last])),
    length: fc.nat({ max: 128 }),
    family: fc.constant('ipv6' as const),
  }),
);

function plainIpv6(groups: readonly number[]): string {
  return groups.map((number) => number.toString(16)).join(':');
}

describe('the networks of an allow-list', () => {
  forAll([anyNetwork, fc.array(fc.nat({ max: 127 }), { maxLength: 3 }), spelling])(
    'contain an address exactly when those of node:net do, in any spelling of the address',
    ({ address, length, family }, flips, how) => {
      const blocks = new BlockList();
      blocks.addSubnet(address, length, family);
      const client = flips.reduce((text, bit) => flipped(text, bit), address);
      const isInside = isInNetworks(
        family === 'ipv4'
          ? how.around(client)
          : spelled(
              client.split(':').map((part) => Number.parseInt(part, 16)),
              how,
            ),
        [`${address}/${length}`],
      );
      expect(isInside).toBe(blocks.check(client, family));
    },
  );

  it.each([
    ['203.0.113.7', null],
    ['203.0.113.0/24', null],
    ['0.0.0.0/0', null],
    ['::/0', null],
    ['2001:db8::/32', null],
    ['2001:DB8::1', null],
    ['203.0.113.7/24', /has bits set after its prefix of 24/],
    ['203.0.113.0/33', /the prefix length must be from 0 to 32/],
    ['203.0.113.0/-1', /the prefix length/],
    ['203.0.113.0/', /the prefix length/],
    ['2001:db8::/129', /from 0 to 128/],
    ['203.0.113.256', /is not an IP address/],
    ['203.0.113.0:80', /is not an IP address/],
    ['[::1]', /is not an IP address/],
    ['fe80::1%eth0', /is not an IP address/],
    ['shop.example', /is not an IP address/],
    ['', /is not an IP address/],
    ['10.0.0.0/8/8', /is not an IP address/],
  ])('%j: %s', (text, problem) => {
    if (problem === null) expect(networkProblem(text)).toBeNull();
    else expect(networkProblem(text)).toMatch(problem);
  });

  it('do not contain what is not an address', () => {
    for (const text of ['', 'unknown', 'unix:', '203.0.113.7.1'])
      expect(isInNetworks(text, ['0.0.0.0/0', '::/0'])).toBe(false);
  });
});

function flipped(address: string, bit: number): string {
  if (!address.includes(':'))
    return address
      .split('.')
      .map((part, at) => (at === bit >> 5 ? Number(part) ^ (1 << (bit & 7)) : part))
      .join('.');
  return address
    .split(':')
    .map((part, at) => (at === bit >> 4 ? (Number.parseInt(part, 16) ^ (1 << (bit & 15))).toString(16) : part))
    .join(':');
}
