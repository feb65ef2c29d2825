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
