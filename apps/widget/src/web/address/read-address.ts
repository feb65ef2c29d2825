/** An Ethereum payment link (ERC-681), with groups for the target address, the function and the query. */
const PAYMENT_LINK = /^ethereum:(?:pay-)?(0x[0-9a-f]{40})(?:@\d+)?(?:\/(\w+))?(?:\?(.*))?$/i;

/**
 * Reads the address from pasted text: trims it, extracts it from a payment link, and lowers the prefix to `0x` (some QR codes have `0X`).
 */
export function readAddress(text: string): string {
  const given = text.trim();
  const [, target, call, query] = PAYMENT_LINK.exec(given) ?? [];
  return recipient(target, call, query) ?? given.replace(/^0X/, '0x');
}

/** In a token transfer link the target is the token's contract, and the query names the recipient. */
function recipient(target: string | undefined, call: string | undefined, query: string | undefined): string | null {
  if (target === undefined) return null;
  if (call === undefined) return target;
  return call === 'transfer' ? new URLSearchParams(query).get('address') : null;
}
