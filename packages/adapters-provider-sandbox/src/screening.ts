import type { Failure } from '@gateramp/core';
import type { PayoutDetails, StartOrder } from '@gateramp/core/ports';
import type { Corridor } from './corridors.js';

/** A wallet that ends so, in exactly this case, is on the sandbox's sanctions list. */
export const SANCTIONED_WALLET_ENDING = 'dEaD0001';

/** IBANs of test payouts. Any other of plausible form is paid too, unless it ends in `0001`. */
export const SANDBOX_IBANS = { pays: 'DE89370400440532013000', rejects: 'DE67370400440532010001' } as const;

const REJECTED_IBAN_ENDING = '0001';

/** Where crypto goes must be an address, and one that money may go to. Null when nothing speaks against it. */
export function screenWallets(intent: StartOrder['intent'], corridor: Corridor): Failure | null {
  const { walletAddress, refundAddress } = intent;
  if (corridor.target !== null && walletAddress === null) return invalidWallet('wallet_address is missing.');
  const given = [corridor.target === null ? null : walletAddress, refundAddress].filter((address) => address !== null);
  if (!given.every(isEvmAddress)) return invalidWallet('An address is 0x and 40 hexadecimal digits.');
  if (given.some((address) => address.endsWith(SANCTIONED_WALLET_ENDING))) {
    return { code: 'sanctions_blocked', stage: 'screening', message: 'This wallet cannot be served.', retryable: false };
  }
  return null;
}

function isEvmAddress(address: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(address);
}

function invalidWallet(message: string): Failure {
  return { code: 'wallet_address_invalid', stage: 'screening', message, retryable: true };
}

/** What a payout account will do: all that is kept of it. */
export type PayoutVerdict = 'pays' | 'rejects' | 'unusable';

export function readPayout(details: PayoutDetails | null): PayoutVerdict {
  const iban = details?.iban.replace(/\s/g, '').toUpperCase() ?? '';
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(iban)) return 'unusable';
  return iban.endsWith(REJECTED_IBAN_ENDING) ? 'rejects' : 'pays';
}
