export {
  FAKE_BLOCKED_ENDING,
  FAKE_KYC_AMOUNTS,
  FAKE_REJECTED_NAME,
  fakeIdentity,
  fakeScreening,
} from './fake-checks.js';
export { fakeChain, type FakeChain, type FakeChainOptions } from './fake-chain.js';
export { fakeFiat, FAKE_CARDS, FAKE_CODE, FAKE_TRANSFER_MS, type FakeFiatOptions } from './fake-fiat.js';
export {
  fixedPrices,
  fixedSpread,
  type FixedSpreadOptions,
  type PriceSource,
  type SourcePrice,
} from './fixed-spread.js';
export {
  creditHeld,
  isUnwatched,
  returnHeld,
  unbooked,
  type ArrivedDeposits,
  type HeldOrder,
  type HeldResult,
  type ReturnHeldOrder,
} from './held-deposits.js';
export { boundedText, httpIdentity, httpScreening, type HttpLegOptions } from './http-legs.js';
export type { ReviewOptions } from './callback.js';
export { commitAudited } from './commit-audited.js';
export {
  entriesOf,
  type LedgerPosition,
  type Reconciliation,
  type ReconciledPosition,
  reconcileLedger,
  trialBalance,
  type TrialBalance,
  type TrialBalanceRow,
} from './books.js';
export { CUSTOMER, ACCOUNTS, depositKey, tokenAccount, tokenCurrency } from './ledger.js';
export { legs, type LegsOptions, type LegsProvider } from './legs.js';
export type { MarketNames } from './capabilities.js';
export { ALARMS, type Alarm, type LegsAlarm } from './drive.js';
export { assertBalanced, memoryLegsStore, type MemoryAuditTrail, sumPostings } from './memory-legs-store.js';
export {
  DEPOSIT_WATCH_MS,
  STEPS,
  type Operation,
  type Resolution,
  type State,
  type Step,
  type Withdrawal,
} from './operation.js';
export {
  findOperation,
  listOperations,
  resolveOperation,
  type OperationsQuery,
  type OperationView,
  type ResolveOrder,
  type ResolveResult,
} from './operations.js';
export type * from './ports/legs.js';
export type * from './ports/statement.js';
export { CLAIMED } from './ports/legs-store.js';
export type * from './ports/legs-store.js';
export { QUOTE_LIFETIME_MS } from './quotes.js';
export { confirmPrice, listPrices, type ConfirmResult, type PriceTrust, type PriceView } from './trusted-prices.js';
export type { Legs } from './progress.js';
export type { DepositPrice } from './route.js';
export { findTransfers, TRANSFER_KIND, transferDocument, type ChainTransfer } from './transfers.js';
export type { LegsWorkerOptions } from './worker.js';
