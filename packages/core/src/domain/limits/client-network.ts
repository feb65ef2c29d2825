/** Longer than any address; longer text is truncated. */
const TEXT_MAX = 64;

const DOTTED = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * The rate-limit identity of an address. An IPv6 client usually controls a whole /64, so the /64 is the identity. Brackets, ports, zones,
 * letter case and IPv4-mapped forms are normalized, because proxies and hosts format addresses differently. Text that is not an address is
 * used as it is.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return asText(address);
  const bare = withoutPort(address.trim().toLowerCase());
  if (DOTTED.test(bare)) return bare;
  const groups = groupsOf(withoutZone(bare));
  if (groups === null) return asText(address);
  return (
    mappedIpv4(groups) ??
    `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')}::/64`
  );
}

/** Whether the address is in one of the networks (CIDR, as accepted by `networkProblem`). */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const client = bytesOf(address);
  return client !== null && networks.some((text) => contains(text, client));
}

function contains(network: string, client: readonly number[]): boolean {
  const [address = '', length] = network.split('/');
  const bytes = bytesOf(address);
  if (bytes?.length !== client.length) return false;
  return !differ(bytes, client, length === undefined ? bytes.length * 8 : Number(length));
}

/** Whether the first `bits` bits of two addresses differ. */
function differ(one: readonly number[], other: readonly number[], bits: number): boolean {
  return one.some((byte, at) => {
    const counted = Math.min(8, Math.max(0, bits - at * 8));
    return byte >> (8 - counted) !== (other[at] ?? 0) >> (8 - counted);
  });
}

/** Why the text is not a network such as `203.0.113.0/24` or `2001:db8::/32`, or a single address; null if it is. */
export function networkProblem(text: string): string | null {
  const [address = '', length, ...more] = text.split('/');
  const isBare = /^[\da-f:.]+$/i.test(address) && withoutPort(address) === address;
  const bytes = isBare ? bytesOf(address) : null;
  if (bytes === null || more.length > 0) return `"${text}" is not an IP address or a network such as 203.0.113.0/24.`;
  if (length === undefined) return null;
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (!(bits <= bytes.length * 8)) return `"${text}": the prefix length must be from 0 to ${bytes.length * 8}.`;
  const hasHostBits = bytes.some((byte, at) => (byte & (0xff >> Math.min(8, Math.max(0, bits - at * 8)))) !== 0);
  return hasHostBits ? `"${text}" has bits set after its prefix of ${bits}; name the network's first address.` : null;
}

/** The 4 or 16 bytes of an address in any spelling; null for other text. */
function bytesOf(address: string): readonly number[] | null {
  const bare = withoutPort(address.trim().toLowerCase());
  const groups = groupsOf(withoutZone(bare));
  const dotted = DOTTED.test(bare) ? bare : groups === null ? null : mappedIpv4(groups);
  if (dotted !== null) {
    const bytes = dotted.split('.').map(Number);
    return bytes.every((byte) => byte <= 255) ? bytes : null;
  }
  return groups === null ? null : groups.flatMap((group) => [group >> 8, group & 255]);
}

function asText(address: string): string {
  return address.trim().toLowerCase().slice(0, TEXT_MAX).trimEnd();
}

/** Accepts `[2001:db8::1]:443` and `203.0.113.7:443`; without brackets, the last part of an IPv6 address is not a port. */
function withoutPort(text: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  return bracketed ?? dotted ?? text;
}

function withoutZone(text: string): string {
  const percent = text.indexOf('%');
  return percent < 0 ? text : text.slice(0, percent);
}

/** The eight numbers of an IPv6 address; null for anything else. */
function groupsOf(text: string): readonly number[] | null {
  const halves = text.split('::').map(numbersOf);
  const [head, tail, more] = halves;
  if (head === null || head === undefined || tail === null || more !== undefined) return null;
  if (tail === undefined) return head.length === 8 ? head : null;
  const left = 8 - head.length - tail.length;
  return left < 1 ? null : [...head, ...Array.from({ length: left }, () => 0), ...tail];
}

function numbersOf(half: string): readonly number[] | null {
  if (half === '') return [];
  const numbers = half.split(':').flatMap((part, at, parts) => {
    if (at === parts.length - 1 && DOTTED.test(part)) return pairOf(part);
    return /^[0-9a-f]{1,4}$/.test(part) ? [Number.parseInt(part, 16)] : [Number.NaN];
  });
  return numbers.some(Number.isNaN) ? null : numbers;
}

function pairOf(dotted: string): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted
    .split('.')
    .map((byte) => (Number(byte) > 255 ? Number.NaN : Number(byte)));
  return [a * 256 + b, c * 256 + d];
}

/** A dual-stack socket reports an IPv4 client as `::ffff:203.0.113.7`. */
function mappedIpv4([a, b, c, d, e, f, high = 0, low = 0]: readonly number[]): string | null {
  if (a !== 0 || b !== 0 || c !== 0 || d !== 0 || e !== 0 || f !== 0xffff) return null;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
