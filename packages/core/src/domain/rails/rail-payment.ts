import type { Instant } from '../instant.js';
import type { BankTransfer, CryptoDeposit, Failure, IntentStatus, PaymentMethod } from '../intent/intent.js';
import type { JsonText } from '../json.js';
import type { Scope } from '../mode.js';
import type { Flow } from '../session/terms.js';
import type { Side } from '../transaction/transaction.js';

/** A pay-in takes fiat and sends crypto; a pay-out takes crypto and sends fiat. */
export type RailKind = 'pay_in' | 'pay_out';

/**
 * A payment that a partner makes without a checkout, from an executable quote. The intent of the same id carries it out. This record is
 * updated from that intent and its transaction in the same commit, so that payments can be read and listed on their own.
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
  /** How to pay in; null until the provider reports it, and always on a pay-out. */
  readonly instructions: BankTransfer | null;
  /** Where to send the crypto of a pay-out; null until the provider reports it, and always on a pay-in. */
  readonly deposit: CryptoDeposit | null;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
  readonly beneficiary: Beneficiary | null;
  readonly failure: Failure | null;
  readonly txRefid: string;
  readonly userReference: string | null;
  /** The object's text exactly as the partner sent it. */
  readonly metadata: JsonText;
  /** Start of the pending provider step or of the movement of money; null when there is neither. */
  readonly heldSince: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly completedAt: Instant | null;
}

/** The stored part of the beneficiary; the full account number goes only to the provider. */
export interface Beneficiary {
  readonly type: 'iban';
  readonly display: string;
}

/** The country and the last four characters of an IBAN. */
export function redactedIban(iban: string): Beneficiary {
  const plain = iban.replaceAll(' ', '').toUpperCase();
  return { type: 'iban', display: `${plain.slice(0, 2)}••${plain.slice(-4)}` };
}

/** Deadline for the money that the payment waits for; null if it waits for none. */
export function awaitedUntil({ status, instructions, deposit }: RailPayment): Instant | null {
  return status === 'requires_action' ? ((instructions ?? deposit)?.expiresAt ?? null) : null;
}

/** The kind of payment for a flow; null for a swap. */
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
