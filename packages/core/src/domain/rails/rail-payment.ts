import type { Instant } from '../instant.js';
import type { BankTransfer, CryptoDeposit, Failure, IntentStatus, PaymentMethod } from '../intent/intent.js';
import type { JsonText } from '../json.js';
import type { Scope } from '../mode.js';
import type { Flow } from '../session/terms.js';
import type { Side } from '../transaction/transaction.js';

/** Fiat comes and crypto goes out, or the other way round. */
export type RailKind = 'pay_in' | 'pay_out';

/**
 * A payment that a partner makes without a checkout, over a quote it has fixed. The intent of the same id carries it out; what is here
 * follows that intent and its transaction, in the same commit, so that it is read and listed by itself.
 */
export interface RailPayment extends Scope {
  readonly id: string;
  readonly version: number;
  readonly kind: RailKind;
  readonly status: IntentStatus;
  readonly quoteId: string;
  readonly flow: Flow;
  readonly source: Side;
  readonly destination: Side;
  readonly paymentMethod: PaymentMethod | null;
  /** How to pay in; null until the provider has said, and for ever on a pay-out. */
  readonly instructions: BankTransfer | null;
  /** Where to send what is paid out; null until the provider has said, and for ever on a pay-in. */
  readonly deposit: CryptoDeposit | null;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
  readonly beneficiary: Beneficiary | null;
  readonly failure: Failure | null;
  readonly txRefid: string;
  readonly userReference: string | null;
  /** The object's text exactly as the partner wrote it. */
  readonly metadata: JsonText;
  /** Since when a provider step has been under way or money has been moving; null when neither is. */
  readonly heldSince: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly completedAt: Instant | null;
}

/** All that is kept of who is paid: the account itself goes to the provider and nowhere else. */
export interface Beneficiary {
  readonly type: 'iban';
  readonly display: string;
}

/** The country and the last four characters of an IBAN. */
export function redactedIban(iban: string): Beneficiary {
  const plain = iban.replaceAll(' ', '').toUpperCase();
  return { type: 'iban', display: `${plain.slice(0, 2)}••${plain.slice(-4)}` };
}

/** Until when what the payment waits for may arrive; null while it waits for nothing. */
export function awaitedUntil({ status, instructions, deposit }: RailPayment): Instant | null {
  return status === 'requires_action' ? ((instructions ?? deposit)?.expiresAt ?? null) : null;
}

/** What a payment of this flow is; a swap is neither. */
export function railKindOf(flow: Flow): RailKind | null {
  switch (flow) {
    case 'on_ramp':
      return 'pay_in';
    case 'off_ramp':
      return 'pay_out';
    case 'swap':
      return null;
  }
}
