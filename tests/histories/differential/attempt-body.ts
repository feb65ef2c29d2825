import { SANDBOX_ACH, SANDBOX_IBANS } from '@gateramp/adapters-provider-sandbox';
import type { Flow } from '@gateramp/core/domain';
import type { Attempt, Members } from './command.js';
import { type KnownSavedMethod, type KnownSession, pick } from './known.js';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** The body of an attempt with the session's terms and this card, with the changes. */
export function attemptBody(
  { flow: wanted, card, saving, changes }: Attempt,
  session: KnownSession | null,
  quoteId: string | null,
  saved: readonly KnownSavedMethod[] = [],
): Members {
  const terms = session?.row ?? {};
  const flow = FLOWS.find((one) => one === terms['flow']) ?? wanted;
  const currency = terms['currency'] ?? 'EUR';
  const own = WAYS[flow](currency);
  return withoutNulls({
    ...own,
    flow,
    amount: terms['amount'] ?? '100.00',
    currency,
    target_token: terms['target_token'] ?? own['target_token'],
    target_network: terms['target_network'] ?? own['target_network'],
    wallet_address: terms['wallet_address'] ?? own['wallet_address'],
    quote_id: quoteId,
    ...(flow === 'on_ramp' ? { payment_details: paymentDetails(card, saving, saved) } : {}),
    ...changes,
  });
}

/** The body of a quote request: an attempt without its own members. */
export function quoteBody(attempt: Attempt, session: KnownSession | null): Members {
  const {
    quote_id: _quote,
    wallet_address: _wallet,
    refund_address: _refund,
    payout_details: _payout,
    payment_details: _payment,
    ...body
  } = attemptBody(attempt, session, null);
  return body;
}

const FLOWS: readonly Flow[] = ['on_ramp', 'off_ramp', 'swap'];

const WAYS: Readonly<Record<Flow, (currency: unknown) => Members>> = {
  on_ramp: () => ({ payment_method: 'card', wallet_address: WALLET }),
  off_ramp: (currency) => ({
    payment_method: 'bank_transfer',
    source_token: 'USDC',
    source_network: 'base',
    refund_address: WALLET,
    payout_details:
      currency === 'USD'
        ? {
            type: 'ach',
            routing_number: SANDBOX_ACH.routing,
            account_number: SANDBOX_ACH.pays,
            account_holder: 'Ada Lovelace',
          }
        : { type: 'iban', iban: SANDBOX_IBANS.pays, account_holder: 'Ada Lovelace' },
  }),
  swap: () => ({
    payment_method: 'crypto',
    source_token: 'ETH',
    source_network: 'ethereum',
    target_token: 'USDC',
    target_network: 'base',
    wallet_address: WALLET,
    refund_address: WALLET,
  }),
};

function paymentDetails(card: string, saving: boolean | number, saved: readonly KnownSavedMethod[]): Members {
  const method = typeof saving === 'number' ? pick(saved, saving) : null;
  if (method !== null) return { saved_method: method.id, cvc: '123' };
  return { card_number: card, expiry: '12/49', cvc: '123', ...(saving === false ? {} : { save: true }) };
}

/** Removes undefined members and a `quote_id` of null. Other nulls are sent. */
function withoutNulls(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => value !== undefined && (value !== null || name !== 'quote_id')),
  );
}
