import { MINUTE, type Failure, type Instant } from '@gateramp/core/domain';
import type { CardDetails, PaymentDetails, SavedMethodDetails } from '@gateramp/core/ports';

/** Test cards. Any expiry that is not in the past and any security code are accepted; every other number is declined. */
export const SANDBOX_CARDS = {
  succeeds: '4242424242424242',
  declines: '4000000000000002',
  needsAuthentication: '4000000000003220',
  /** Requires authentication on a page of the issuer. */
  needsRedirect: '4000000000003063',
  insufficientFunds: '4000000000009995',
  /** Succeeds, and is charged back a minute after settlement. */
  chargedBack: '4000000000000259',
  /** Succeeds, and is refunded a minute after settlement. */
  refunded: '4000000000005126',
} as const;

/** Only the last four digits: failure messages are stored and sent, and must not contain card numbers. */
const TEST_CARD_ENDINGS = Object.values(SANDBOX_CARDS)
  .map((number) => number.slice(-4))
  .join(', ');

/** The one-time code that authenticates; any other fails. */
export const SANDBOX_OTP_CODE = '000000';

/** Milliseconds from settlement to a chargeback or refund. */
export const RETURN_AFTER_MS = MINUTE;

/** The behavior of a card: all that is kept of it, unless the buyer saves it. */
export type CardVerdict =
  | {
      readonly kind: 'pays';
      readonly asks: BuyerStep | null;
      readonly returned: 'refunded' | 'charged_back' | null;
      readonly saves: ConsentedCard | null;
    }
  | { readonly kind: 'refuses'; readonly failure: Failure };

/** An action of the buyer before money moves. */
export type BuyerStep = 'payment_authentication' | 'redirect' | 'provider_component';

/** Tokens that replace a card. Each is passed as `payment_details.token`, with the sandbox as the provider. */
export const SANDBOX_PAYMENT_TOKENS = {
  succeeds: 'tok_succeeds',
  declines: 'tok_declines',
  /** Requests the component of the test wallet Sandbox Pay. */
  sandboxPay: 'sandbox_pay',
} as const;

/**
 * Derives the behavior of a card; its details are not kept. Invalid details are declined. `saved` is the saved
 * card that they refer to, if it still exists.
 */
export function readCard(details: PaymentDetails | null, saved: KeptCard | null, now: Instant): CardVerdict {
  if (details === null) return declined('A card payment needs card_number, expiry (MM/YY) and cvc.');
  if ('token' in details) return verdictOnToken(details.token);
  if ('savedMethod' in details) return verdictOnSaved(details, saved, now);
  const number = details.cardNumber.replace(/[ -]/g, '');
  if (!isCardNumber(number)) return declined('The card number is not valid.');
  const expiry = readExpiry(details.expiry);
  if (expiry === null || !isUnexpired(expiry, now)) return declined('The expiry must be MM/YY and not past.');
  if (!/^\d{3,4}$/.test(details.cvc)) return declined('The cvc has three or four digits.');
  const verdict = verdictOn(number);
  return verdict.kind === 'pays' ? { ...verdict, saves: consented(details, verdict, number, expiry) } : verdict;
}

function consented(
  { saveFor: customer }: CardDetails,
  { asks, returned }: Extract<CardVerdict, { kind: 'pays' }>,
  number: string,
  expiry: Expiry,
): ConsentedCard | null {
  return customer === undefined ? null : { customer, last4: number.slice(-4), ...expiry, asks, returned };
}

function verdictOnSaved({ cvc }: SavedMethodDetails, saved: KeptCard | null, now: Instant): CardVerdict {
  if (saved === null) return declined('The saved card has been removed.');
  if (!isUnexpired(saved, now)) return declined('The card has expired.');
  if (cvc === null && requiresCvc(saved)) return declined('This saved card needs its cvc.');
  return pays(saved.asks, saved.returned);
}

function verdictOnToken(token: string): CardVerdict {
  switch (token) {
    case SANDBOX_PAYMENT_TOKENS.succeeds:
      return pays(null, null);
    case SANDBOX_PAYMENT_TOKENS.sandboxPay:
      return pays('provider_component', null);
    default:
      return declined('The token was declined.');
  }
}

function verdictOn(number: string): CardVerdict {
  switch (number) {
    case SANDBOX_CARDS.succeeds:
      return pays(null, null);
    case SANDBOX_CARDS.needsAuthentication:
      return pays('payment_authentication', null);
    case SANDBOX_CARDS.needsRedirect:
      return pays('redirect', null);
    case SANDBOX_CARDS.chargedBack:
      return pays(null, 'charged_back');
    case SANDBOX_CARDS.refunded:
      return pays(null, 'refunded');
    case SANDBOX_CARDS.declines:
      return declined('The card was declined.');
    case SANDBOX_CARDS.insufficientFunds:
      return {
        kind: 'refuses',
        failure: {
          code: 'insufficient_funds',
          stage: 'payment',
          message: 'The card has insufficient funds.',
          retryable: true,
        },
      };
    default:
      return declined(`The sandbox accepts only test cards, which end in ${TEST_CARD_ENDINGS}.`);
  }
}

function pays(asks: BuyerStep | null, returned: 'refunded' | 'charged_back' | null): CardVerdict {
  return { kind: 'pays', asks, returned, saves: null };
}

function declined(message: string): CardVerdict {
  return { kind: 'refuses', failure: { code: 'payment_declined', stage: 'payment', message, retryable: true } };
}

/** Twelve to nineteen digits with a Luhn check digit. */
function isCardNumber(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false;
  const sum = [...number].reverse().reduce((total, character, index) => {
    const digit = Number(character) * (index % 2 === 0 ? 1 : 2);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return sum % 10 === 0;
}

type Expiry = Pick<KeptCard, 'expiryMonth' | 'expiryYear'>;

function readExpiry(text: string): Expiry | null {
  const parts = /^(0[1-9]|1[0-2])\/(\d{2})$/.exec(text);
  return parts === null ? null : { expiryMonth: Number(parts[1]), expiryYear: 2000 + Number(parts[2]) };
}

/** A card is valid through the last moment of its month. */
function isUnexpired({ expiryMonth, expiryYear }: Expiry, now: Instant): boolean {
  return now < Date.UTC(expiryYear, expiryMonth, 1);
}

/** A card saved with its buyer's consent: its display data and its behavior, but not its number. */
export interface SavedCard {
  readonly last4: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly asks: BuyerStep | null;
  readonly returned: 'refunded' | 'charged_back' | null;
}

/** A card to save once it has paid. */
export interface ConsentedCard extends SavedCard {
  readonly customer: string;
}

/** A saved card in the row of a customer. */
export interface KeptCard extends SavedCard {
  readonly id: string;
}

/** Issuers that require a one-time code also require the security code. */
export function requiresCvc({ asks }: Pick<SavedCard, 'asks'>): boolean {
  return asks === 'payment_authentication';
}
