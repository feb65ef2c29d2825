/** The laws that every adapter must pass, as data: run them with any test runner by `describeLaws`. */
export * from './law.js';
export { sandboxStoreLaws } from './store/sandbox-laws.js';
export { storeLaws, type ModelRun, type OpenStore, type StoreOnTrial, type StoreSubject } from './store/store-laws.js';
export {
  engineStoreLaws,
  type EngineStoreOnTrial,
  type EngineStoreSubject,
  type OpenEngineStore,
} from './store/engine-store-laws.js';
export { interleavingLaws, playTrial, type InterleavingSubject, type Trial } from './interleaving/interleaving-laws.js';
export { replayInterleaving } from './interleaving/replay-interleaving.js';
export { schedulerLaws, type SchedulerOnTrial, type SchedulerSubject } from './scheduler-laws.js';
export {
  providerOutageLaws,
  refundOutageLaws,
  type ProviderOutageOnTrial,
  type ProviderOutageSubject,
  type RefundOutageOnTrial,
  type RefundOutageSubject,
} from './provider-outage-laws.js';
export { kycVaultLaws, type KycVaultOnTrial, type KycVaultSubject } from './kyc-vault-laws.js';
export { chainLegLaws, type ChainLegOnTrial, type ChainLegSubject } from './chain-leg-laws.js';
export { exchangeLegLaws, type ExchangeLegOnTrial } from './exchange-leg-laws.js';
export { fiatLegLaws, type FiatLegOnTrial, type FiatLegSubject } from './fiat-leg-laws.js';
export {
  identityLegLaws,
  screeningLegLaws,
  type IdentityLegOnTrial,
  type ScreeningLegOnTrial,
} from './leg-service-laws.js';
export { legsStoreLaws, type LegsStoreOnTrial, type LegsStoreSubject } from './legs-store-laws.js';
export { sandboxLedgerLaws, type SandboxLedgerOnTrial, type SandboxLedgerSubject } from './sandbox-ledger-laws.js';
export {
  providerDocumentLaws,
  type ProviderDocumentOnTrial,
  type ProviderDocumentSubject,
} from './provider-document-laws.js';
export {
  providerHandoverLaws,
  type Handover,
  type ProviderHandoverOnTrial,
  type ProviderHandoverSubject,
} from './provider-handover-laws.js';
export {
  providerLaws,
  type ProviderAbility,
  type ProviderCallbacks,
  type ProviderMoney,
  type ProviderOnTrial,
  type ProviderOutages,
  type ProviderSubject,
} from './provider/provider-laws.js';
export { providerRefundLaws, type ProviderRefundOnTrial, type ProviderRefundSubject } from './provider-refund-laws.js';
export { providerSavingLaws, type ProviderSavingOnTrial, type ProviderSavingSubject } from './provider-saving-laws.js';
export { rateLimitsLaws, type RateLimitsOnTrial, type RateLimitsSubject } from './rate-limits-laws.js';
export { fetchSubject } from './http/fetch-subject.js';
export type { HttpSubject, MountedHost, ServedGate, WireRequest, WireResponse } from './http/subject.js';
export {
  httpSocketLaws,
  httpTransportLaws,
  serverSubject,
  type MountedServer,
  type SocketSubject,
} from './http/transport/index.js';
export { unfinishedWorkLaws, type UnfinishedWorkOnTrial, type UnfinishedWorkSubject } from './unfinished-work-laws.js';
/** Valid rows and changes for an adapter's own tests, created by the engine's own rules. */
export * as rows from './builders.js';
export * as changes from './changes.js';
export { aCreate, keyRef } from './creates.js';
export { operatorRefund, type OperatorRefund } from './operator-refund.js';
