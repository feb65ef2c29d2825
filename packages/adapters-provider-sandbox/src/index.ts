export {
  CALLBACK_SIGNATURE_HEADER,
  CALLBACK_TOLERANCE_SECONDS,
  SANDBOX_TEST_CALLBACK_SECRET,
  signSandboxCallback,
} from './callback.js';
export { SANDBOX_CAPABILITIES } from './capabilities.js';
export { SANDBOX_CONFIRMATIONS } from './chain.js';
export { RETURN_AFTER_MS, SANDBOX_CARDS, SANDBOX_OTP_CODE, SANDBOX_PAYMENT_TOKENS } from './cards.js';
export {
  SANDBOX_COUNTRIES,
  SANDBOX_CURRENCIES,
  SANDBOX_LIMITS,
  SANDBOX_METHODS,
  SANDBOX_NETWORKS,
  SANDBOX_TOKENS,
} from './corridors.js';
export { REJECTED_DOCUMENT } from './confirmation.js';
export { REJECTED_DOCUMENT_MARK } from './documents.js';
export { effectsOf, type EffectKind, type MoneyEffect, type SandboxRefund } from './effects.js';
export type { Ending } from './ending.js';
export { memorySandboxLedger, type SandboxAudit, type SandboxLedger } from './ledger.js';
export {
  KYC_FIELDS,
  SANDBOX_ACCOUNT,
  TRANSFER_WITHIN_MS,
  type OperationState,
  type SandboxOperation,
} from './operation.js';
export {
  DOCUMENT_AMOUNTS,
  KYC_AMOUNTS,
  REVIEW_MS,
  SETTLE_DELAYS,
  type OperationPlan,
  type SettleDelays,
} from './plan.js';
export type { SandboxPagesOptions } from './pages/sandbox-pages.js';
export { sandboxProvider, type SandboxProvider, type SandboxProviderOptions } from './provider.js';
export { sandboxPools, type SandboxPoolsOptions } from './pools.js';
export { QUOTE_LIFETIME_MS } from './quotes.js';
export { SANDBOX_REFUNDS, SLOW_REFUND_MS } from './refunds.js';
export { SANCTIONED_WALLET_ENDING, SANDBOX_ACH, SANDBOX_IBANS } from './screening.js';
