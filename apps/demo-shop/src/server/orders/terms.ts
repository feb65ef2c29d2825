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

/** The integrations by which the page can show the checkout. */
export const WAYS = ['iframe', 'kit', 'full-page', 'react'] as const;

/** The choices of the page: the flow, the situation to demonstrate and the integration. Never the price. */
export interface Choice {
  /** Null lets the buyer choose in the checkout. */
  readonly flow: (typeof FLOWS)[number] | null;
  readonly situation: (typeof SITUATIONS)[number];
  readonly way: (typeof WAYS)[number];
}

type Terms = Omit<CreateGateSession, 'return_url' | 'cancel_url'>;

/** The destination of purchases. A shop that knows the buyer's wallet fixes it, so that the buyer need not type it. */
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Amounts that make the sandbox require identity verification (from 14.00) or documents (from 17.00), or delay the price. */
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
