import type { Failure } from '@gateramp/core/domain';
import type { PayoutDetails, StartOrder } from '@gateramp/core/ports';
import type { Corridor } from './corridors.js';
import { isEvmAddress } from './evm-address.js';

/** A wallet that ends so, in any case, is on the sandbox's sanctions list. */
export const SANCTIONED_WALLET_ENDING = 'dead0001';

/** IBANs of test payouts. Any other of plausible form is paid too, unless it ends in `0001`. */
export const SANDBOX_IBANS = { pays: 'DE89370400440532013000', rejects: 'DE67370400440532010001' } as const;

/** Accounts in the United States of test payouts, which go the same way by the end of their number. */
export const SANDBOX_ACH = { routing: '110000000', pays: '000123456789', rejects: '000123450001' } as const;

const REJECTED_ENDING = '0001';

type Addresses = Pick<StartOrder['intent'], 'walletAddress' | 'refundAddress'>;

/** Why crypto could not go where it shall, or back where it came from; null when it could. */
export function addressFault({ walletAddress, refundAddress }: Addresses, corridor: Corridor): string | null {
  if (corridor.target !== null && walletAddress === null) return 'wallet_address is missing.';
  if (corridor.target !== null && walletAddress !== null && !isEvmAddress(walletAddress))
    return `wallet_address ${NO_ADDRESS}`;
  if (refundAddress !== null && !isEvmAddress(refundAddress)) return `refund_address ${NO_ADDRESS}`;
  return null;
}

const NO_ADDRESS = 'must be 0x and 40 hexadecimal digits, and a valid EIP-55 checksum if the case is mixed.';

/** Where crypto goes must be an address, and one that money may go to. Null when nothing speaks against it. */
export function screenWallets(addresses: Addresses, corridor: Corridor): Failure | null {
  const fault = addressFault(addresses, corridor);
  if (fault !== null) return { code: 'wallet_address_invalid', stage: 'screening', message: fault, retryable: true };
  const used = [corridor.target === null ? null : addresses.walletAddress, addresses.refundAddress];
  if (!used.some((address) => address?.toLowerCase().endsWith(SANCTIONED_WALLET_ENDING))) return null;
  return { code: 'sanctions_blocked', stage: 'screening', message: 'This wallet cannot be served.', retryable: false };
}

/** What a payout account will do: all that is kept of it. */
export type PayoutVerdict = 'pays' | 'rejects' | 'unusable';

export function readPayout(details: PayoutDetails | null): PayoutVerdict {
  const account = details === null ? null : plausibleAccount(details);
  if (account === null) return 'unusable';
  return account.endsWith(REJECTED_ENDING) ? 'rejects' : 'pays';
}

function plausibleAccount(details: PayoutDetails): string | null {
  if (details.type === 'ach')
    return /^\d{9}$/.test(details.routingNumber) && /^\d{4,17}$/.test(details.accountNumber)
      ? details.accountNumber
      : null;
  const iban = details.iban.replace(/\s/g, '').toUpperCase();
  return /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(iban) ? iban : null;
}
