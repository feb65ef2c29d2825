/** A payment link of Ethereum (ERC-681): its target, and what it asks of it. */
const PAYMENT_LINK = /^ethereum:(?:pay-)?(0x[0-9a-f]{40})(?:@\d+)?(?:\/(\w+))?(?:\?(.*))?$/i;

/** The address in what a buyer pastes: without spaces around it, in a payment link, or with the capital X that some codes have. */
export function readAddress(text: string): string {
  const given = text.trim();
  const [, target, call, query] = PAYMENT_LINK.exec(given) ?? [];
  return plain(target, call, query) ?? given.replace(/^0X/, '0x');
}

/** The link of a token has the token's contract as its target, and says in its query who is to get it. */
function plain(target: string | undefined, call: string | undefined, query: string | undefined): string | null {
  if (target === undefined) return null;
  if (call === undefined) return target;
  return call === 'transfer' ? new URLSearchParams(query).get('address') : null;
}
