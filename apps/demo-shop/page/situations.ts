import type { Ability, Flow, Situation } from './situation.js';

/** A value for the buyer to type. */
export interface TestValue {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly needs?: Ability;
}

const card = (value: string, note: string): TestValue => ({ name: 'Card', value, note });

const SUCCEEDS = card('4242 4242 4242 4242', 'succeeds');
const DECLINES = card('4000 0000 0000 0002', 'is declined');
const ASKS_FOR_CODE = card('4000 0000 0000 3220', 'asks for a code');
const NEEDS_PAGE: TestValue = { ...card('4000 0000 0000 3063', 'opens the bank’s page'), needs: 'sandbox' };
const INSUFFICIENT_FUNDS = card('4000 0000 0000 9995', 'has insufficient funds');
const IS_REFUNDED: TestValue = { ...card('4000 0000 0000 5126', 'is refunded'), needs: 'sandbox' };
const CODE: TestValue = { name: 'Code', value: '000000', note: 'confirms' };
const WALLET: TestValue = {
  name: 'Wallet',
  value: '0x52908400098527886E0F7030069857D2E4169EE7',
  note: 'on any network',
};
const IBAN: TestValue = { name: 'IBAN', value: 'DE89 3704 0044 0532 0130 00', note: 'for payouts' };

/** All test values of the sandbox. */
export const TEST_VALUES: readonly TestValue[] = [
  SUCCEEDS,
  DECLINES,
  ASKS_FOR_CODE,
  NEEDS_PAGE,
  INSUFFICIENT_FUNDS,
  IS_REFUNDED,
  CODE,
  WALLET,
  IBAN,
];

export interface SituationText {
  readonly situation: Situation;
  readonly label: string;
  /** What the buyer should do in the checkout, and what happens then. */
  readonly advice: string;
  readonly use: readonly TestValue[];
  /** The provider ability that the situation requires. */
  readonly needs?: Ability;
}

/** The situations or values that the server's providers support. */
export function possible<One extends { readonly needs?: Ability }>(
  all: readonly One[],
  abilities: readonly Ability[] | null,
): readonly One[] {
  return all.filter(({ needs }) => needs === undefined || abilities === null || abilities.includes(needs));
}

/** The situation without problems, with advice for the flow. */
export function ordinary(flow: Flow | null): SituationText {
  return { situation: 'ordinary', label: 'Everything goes well', ...BY_FLOW[flow ?? 'any'] };
}

const BY_FLOW: Readonly<Record<Flow | 'any', Pick<SituationText, 'advice' | 'use'>>> = {
  any: {
    advice: 'To buy, pay with this card, any future date and any code. To sell or swap, give this wallet and account:',
    use: [SUCCEEDS, WALLET, IBAN],
  },
  on_ramp: { advice: 'Pay with this card, any future date and any code:', use: [SUCCEEDS] },
  off_ramp: { advice: 'Give this wallet and this account, and confirm that you have sent it:', use: [WALLET, IBAN] },
  swap: { advice: 'Give this wallet, and confirm that you have sent it:', use: [WALLET] },
};

export const SITUATIONS: readonly SituationText[] = [
  {
    situation: 'declined',
    needs: 'card',
    label: 'Card declined',
    advice: 'Pay with the first card and see it declined; the order stays open for the second one.',
    use: [DECLINES, SUCCEEDS],
  },
  {
    situation: 'secure',
    needs: 'card',
    label: '3-D Secure',
    advice: 'The bank behind this card asks for a code.',
    use: [ASKS_FOR_CODE, CODE],
  },
  {
    situation: 'saved_card',
    needs: 'saved_card',
    label: 'Saved card',
    advice: 'Pay with this card and let the checkout save it. Your next order here is paid with one press.',
    use: [SUCCEEDS],
  },
  {
    situation: 'identity',
    needs: 'sandbox',
    label: 'Identity check',
    advice: 'For 14.50 EUR the checkout asks who you are; any name and any adult’s date of birth work.',
    use: [SUCCEEDS],
  },
  {
    situation: 'documents',
    needs: 'sandbox',
    label: 'Identity documents',
    advice:
      'For 17.50 EUR the checkout asks for pictures of a document; any picture works. The review takes 30 seconds, and the checkout may be closed during it.',
    use: [SUCCEEDS],
  },
  {
    situation: 'bank_transfer',
    needs: 'bank_transfer',
    label: 'Bank transfer',
    advice: 'Choose “Bank transfer”. The checkout shows an account; the test bank books the money after 30 seconds.',
    use: [],
  },
  {
    situation: 'refund',
    needs: 'sandbox',
    label: 'Refund',
    advice:
      'Pay with this card. It is refunded a minute after the payment settles; a shop asks its operator for refunds.',
    use: [IS_REFUNDED],
  },
  {
    situation: 'slow',
    needs: 'sandbox',
    label: 'Slow provider',
    advice:
      'For 16.16 EUR the provider takes five seconds to return a price. After three the checkout says so and offers to try again.',
    use: [SUCCEEDS],
  },
  {
    situation: 'offline',
    needs: 'card',
    label: 'Connection lost',
    advice:
      'Fill in this card, turn off your network and press Pay. The checkout keeps the form and continues once you are back online.',
    use: [SUCCEEDS],
  },
  {
    situation: 'unavailable',
    label: 'Unavailable',
    advice: 'The shop has cancelled this order. The checkout opens and says so, and onUnavailable is called.',
    use: [],
  },
  {
    situation: 'expired',
    label: 'Expired',
    advice: 'The test clock has moved by a day: this order has expired, and so have all other open ones.',
    use: [],
  },
];
