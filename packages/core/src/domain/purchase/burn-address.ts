/** EVM addresses without a known private key. Funds sent there are lost, and not every provider refuses them. */
const BURN_ADDRESS = /^0x0{36}(?:0000|dead)$/i;

/** The first field that holds a burn address, or null. */
export function burnAddressField(addresses: {
  readonly wallet_address: string | null;
  readonly refund_address: string | null;
}): string | null {
  const [found] = Object.entries(addresses).filter(([, address]) => address !== null && BURN_ADDRESS.test(address));
  return found?.[0] ?? null;
}
