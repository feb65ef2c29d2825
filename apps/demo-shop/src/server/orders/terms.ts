import type { CreateGateSession } from '@gateramp/sdk-node';

export const FLOWS = ['on_ramp', 'off_ramp', 'swap'] as const;
export const SITUATIONS = [
  'ordinary',
  'declined',
  'secure',
  'saved_card',
  'identity',
  'documents',
  'bank_transfer',
  'refund',
  'slow',
  'offline',
  'unavailable',
  'expired',
] as const;

/** How the page shows the checkout: where its buyers come back to. */
export const WAYS = ['iframe', 'kit', 'full-page', 'react'] as const;

/** What the page may choose: which of the shop's offers, how it is shown, and what is to happen to it. Never the price. */
export interface Choice {
  /** Null: the buyer chooses in the checkout. */
  readonly flow: (typeof FLOWS)[number] | null;
  readonly situation: (typeof SITUATIONS)[number];
  readonly way: (typeof WAYS)[number];
}

type Terms = Omit<CreateGateSession, 'return_url' | 'cancel_url'>;

/** Where what is bought goes. A shop that knows its buyer's wallet binds it, and the buyer does not type it. */
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Amounts by which the sandbox chooses what happens: identity verification from 14.00, documents from 17.00, and a late price. */
const AMOUNTS: Partial<Record<Choice['situation'], string>> = { identity: '14.50', documents: '17.50', slow: '16.16' };

export function termsOf({ flow, situation }: Pick<Choice, 'flow' | 'situation'>): Terms {
  const money = { amount: AMOUNTS[situation] ?? '100.00', currency: 'EUR' };
  switch (flow) {
    case 'on_ramp':
      return { ...money, flow, target_token: 'USDC', target_network: 'base', wallet_address: WALLET };
    case 'off_ramp':
      return { ...money, flow };
    case 'swap':
      return { ...money, flow, target_token: 'USDC', target_network: 'base', wallet_address: WALLET };
    case null:
      return { ...money, wallet_address: WALLET };
  }
}
