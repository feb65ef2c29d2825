import { SANDBOX_CARDS, SANDBOX_IBANS } from '@gateramp/adapters-provider-sandbox';

export const CARDS = SANDBOX_CARDS;
export const IBAN = SANDBOX_IBANS.pays;
export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
