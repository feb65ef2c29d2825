/** The domain rules that hosts, adapters and tests of other packages use. Pure: no clock, no randomness, no Node APIs. */
export type {
  Capabilities,
  ServedComponent,
  ServedCountry,
  ServedFee,
  UnavailableMarket,
} from './capabilities/capabilities.js';
export { ERROR_CODES, type ErrorCode, type RequestRefusalCode } from './error-code.js';
export { DAY, epochSeconds, HOUR, type Instant, isoTime, isoTimeOrNull, MINUTE, SECOND } from './instant.js';
export {
  DOCUMENT_BYTES_MAX,
  DOCUMENT_SIDES,
  type DocumentMediaType,
  type DocumentSide,
  sniffMediaType,
} from './intent/identity-document.js';
export {
  type ConfirmableAction,
  type Failure,
  FAILURE_CODES,
  type FailureCode,
  type IdentityCheck,
  type Intent,
  isInReview,
  isLive,
  type NextAction,
  PAYMENT_METHODS,
  type PaymentMethod,
  type OneTimeCode,
  type ProviderComponent,
  type Redirect,
  type RequestedDocuments,
  type Stage,
  STAGES,
} from './intent/intent.js';
export type { SavedMethod } from './intent/saved-method.js';
export { hasBadCharacters, isRecord, type JsonMembers, type JsonText, storable, toJsonText } from './json.js';
export { isExtended, KEY_SCOPES, keyId, keyPrefix, type KeyScope, type KeyType, parseKey } from './keys/api-key.js';
export { isBlocked, type RateRule, type RateState, resetSeconds } from './limits/rate-window.js';
export * from './mode.js';
export { isLoopback, isOriginText } from './origin/origin.js';
export { cutPage, type Page, PAGE_LIMIT_MAX, type PageRequest, type PageStart } from './paging/page.js';
export type { Entitlement, Partner, WebhookEndpoint } from './partner/partner.js';
export { isEntitled, isSuspended, savesMethods } from './partner/partner.js';
export {
  allowsMethod,
  brokenLimitRule,
  type Restricted,
  type RestrictedLimit,
  RESTRICTION_LISTS,
  type Restrictions,
  whyRestricted,
} from './partner/restrictions.js';
export { DEFAULT_POLICY } from './policy.js';
export { beginPurchase, restoredOperationId } from './purchase/begin-purchase.js';
export { endIntent } from './purchase/end-intent.js';
export * from './purchase/outcome.js';
export type { Purchase, SessionPurchase } from './purchase/purchase.js';
export { completedSessionsCounter, slotMoves } from './quota/quota.js';
export { type ExecutableQuote, feeTotal, type Quote, quoteStatus } from './quote/quote.js';
export { followIntent } from './rails/follow-intent.js';
export type { QuotedTerms } from './quote/quoted-terms.js';
export { type Refusal, refuse } from './refusal.js';
export type { RailPayment } from './rails/rail-payment.js';
export { openSession } from './session/open-session.js';
export { sessionResource } from './session/session-resource.js';
export { type GivenAtCreate, type Session, SESSION_STATUSES, type SessionStatus } from './session/session-state.js';
export {
  announce,
  type Announcement,
  cancel,
  complete,
  expireIfDue,
  isHeld,
  isOverdue,
  isTerminal,
  sessionStatusAt,
  type Transition,
} from './session/session.js';
export { type Flow, FLOWS, isSameCode, type PaymentAttempt, type Terms } from './session/terms.js';
export {
  finishTask,
  freeAt,
  isLeased,
  leasedTask,
  leaseOf,
  type NewTask,
  newTask,
  parkTask,
  postponeTask,
  retryTask,
  type Task,
  TASK_LEASE,
} from './task.js';
export * from './text/printable.js';
export { clientNetwork, networkProblem } from './limits/client-network.js';
export type { BankActions, RefundOutcome } from './transaction/refund.js';
export {
  type Confirmations,
  type Dispute,
  type Fee,
  type Refund,
  type RefundFailure,
  type ReportedDispute,
  type Side,
  type Transaction,
  TRANSACTION_STATUSES,
} from './transaction/transaction.js';
export {
  consumerLane,
  type Delivery,
  DELIVERY_STATUSES,
  type DeliveryAttempt,
  type DeliveryAttemptResult,
  deliveryEndpoint,
  type DeliveryStatus,
  type DeliveryTarget,
  endDelivery,
  endedAt,
  hasEnded,
  holdDelivery,
  type Lane,
  laneEndpoint,
  LANES,
  newDelivery,
  type NewDelivery,
  parkDelivery,
  PAUSED_LANE,
  recordDeliveryAttempt,
  releaseDelivery,
  replay,
  sandboxEndpoint,
} from './webhook/delivery.js';
export { type EndpointHealth, endpointResult, noteResult, rotateSecret, UNTRIED } from './webhook/endpoint.js';
export { freezeEvent, type GateEvent } from './webhook/event.js';
export type { EventType } from './webhook/event-types.js';
export { isFresh, parseSignatureHeader, signatureHeader } from './webhook/signature.js';
export * as decimal from './money.js';
export type { Decimal } from './money.js';
export {
  ACTOR_TYPES,
  type Actor,
  type AuditContext,
  actorResource,
  auditEntryResource,
  type AuditedChange,
  type AuditEntry,
  type AuditHead,
  type AuditTarget,
  isSameIdentity,
  isSamePerson,
  type MemberChange,
  type Person,
  personOf,
  sortedJson,
} from './audit.js';
