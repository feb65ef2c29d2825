import type { Law } from '../law.js';
import { callbackLaws } from './callback-laws.js';
import { paymentLaws } from './payment-laws.js';
import type { ProviderSubject } from './provider-subject.js';
import { quoteLaws } from './quote-laws.js';
import { refundLaws } from './refund-laws.js';
import { timeoutLaws } from './timeout-laws.js';

export type {
  ProviderAbility,
  ProviderCallbacks,
  ProviderMoney,
  ProviderOnTrial,
  ProviderOutages,
  ProviderSubject,
} from './provider-subject.js';

/**
 * The engine's requirements for a provider of purchases, by the money that moves at its processor. Includes the laws of refunds and
 * outages; handovers, documents and saved methods have laws of their own.
 */
export const providerLaws: readonly Law<ProviderSubject>[] = [
  ...paymentLaws,
  ...quoteLaws,
  ...callbackLaws,
  ...timeoutLaws,
  ...refundLaws,
];
