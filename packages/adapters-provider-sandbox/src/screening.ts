import type { Failure } from '@gateramp/core/domain';
import type { PayoutDetails, StartOrder } from '@gateramp/core/ports';
import type { Corridor } from './corridors.js';
import { isEvmAddress } from './evm-address.js';

/** Wallets with this ending, in any case, are on the sandbox's sanctions list. */
export const SANCTIONED_WALLET_ENDING = 'dead0001';

/** IBANs for test payouts. Any other plausible IBAN is paid as well, unless it ends in `0001`. */
export const SANDBOX_IBANS = { pays: 'DE89370400440532013000', rejects: 'DE67370400440532010001' } as const;

/** Accounts in the United States for test payouts; the end of the number decides in the same way. */
export const SANDBOX_ACH = { routing: '110000000', pays: '000123456789', rejects: '000123450001' } as const;

const REJECTED_ENDING = '0001';

type Addresses = Pick<StartOrder['intent'], 'walletAddress' | 'refundAddress'>;

/** The reason why crypto cannot be sent to its target or returned to its source; null if it can. */
export function addressFault({ walletAddress, refundAddress }: Addresses, corridor: Corridor): string | null {
  if (corridor.target !== null && walletAddress === null) return 'wallet_address is missing.';
  if (corridor.target !== null && walletAddress !== null && !isEvmAddress(walletAddress))
    return `wallet_address ${NO_ADDRESS}`;
  if (refundAddress !== null && !isEvmAddress(refundAddress)) return `refund_address ${NO_ADDRESS}`;
  return null;
}

const NO_ADDRESS = 'must be 0x and 40 hexadecimal digits, and a valid EIP-55 checksum if the case is mixed.';

/** Checks that crypto is sent to a valid address that is not blocked. Null if there is no objection. */
export function screenWallets(addresses: Addresses, corridor: Corridor): Failure | null {
  const fault = addressFault(addresses, corridor);
  if (fault !== null) return { code: 'wallet_address_invalid', stage: 'screening', message: fault, retryable: true };
  const used = [corridor.target === null ? null : addresses.walletAddress, addresses.refundAddress];
  if (!used.some((address) => address?.toLowerCase().endsWith(SANCTIONED_WALLET_ENDING))) return null;
  return { code: 'sanctions_blocked', stage: 'screening', message: 'This wallet cannot be served.', retryable: false };
}

/** The behavior of a payout account: all that is kept of it. */
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
