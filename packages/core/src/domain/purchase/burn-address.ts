/** Addresses of EVM networks that nobody has the key of: crypto sent there is lost, and providers do not all refuse it. */
const BURN_ADDRESS = /^0x0{36}(?:0000|dead)$/i;

/** The first of these fields whose address would lose what is sent there; null when none would. */
export function burningField(addresses: {
  readonly wallet_address: string | null;
  readonly refund_address: string | null;
}): string | null {
  const [found] = Object.entries(addresses).filter(([, address]) => address !== null && BURN_ADDRESS.test(address));
  return found?.[0] ?? null;
}
