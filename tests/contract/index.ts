import type { HttpSubject, Law } from './kit.js';
import { brandingLaws } from './branding/branding-laws.js';
import { bodyLaws } from './create/body-laws.js';
import { fieldLaws } from './create/field-laws.js';
import { urlLaws } from './create/url-laws.js';
import { checkOrderLaws } from './credentials/check-order-laws.js';
import { embedTokenLaws } from './credentials/embed-token-laws.js';
import { keyLaws } from './credentials/key-laws.js';
import { credentialMatrixLaws } from './credentials/matrix-laws.js';
import { pageLaws } from './page-laws.js';
import { bootstrapLaws } from './embed/bootstrap-laws.js';
import { embedBodyLaws } from './embed/body-laws.js';
import { corsLaws } from './embed/cors-laws.js';
import { eventLaws } from './events/event-laws.js';
import { timelineLaws } from './timeline/timeline-laws.js';
import { bankTransferLaws } from './flows/bank-transfer-laws.js';
import { deliveryLaws } from './flows/delivery-laws.js';
import { handoverLaws } from './flows/handover-laws.js';
import { buyLaws } from './flows/buy-laws.js';
import { callbackLaws } from './flows/callback-laws.js';
import { cancelLaws } from './flows/cancel-laws.js';
import { expiryLaws } from './flows/expiry-laws.js';
import { quotedAttemptLaws } from './flows/quoted-attempt-laws.js';
import { disputeLaws } from './flows/dispute-laws.js';
import { refundLaws } from './flows/refund-laws.js';
import { scenarioLaws } from './flows/scenario-laws.js';
import { sandboxClockLaws } from './flows/sandbox-clock-laws.js';
import { suspensionLaws } from './flows/suspension-laws.js';
import { sellSwapLaws } from './flows/sell-swap-laws.js';
import { idempotencyLaws } from './idempotency/key-laws.js';
import { poolKeyLaws } from './pools/key-laws.js';
import { quoteLaws } from './pools/quote-laws.js';
import { tradeLaws } from './pools/trade-laws.js';
import { rateLimitLaws } from './limits/rate-limit-laws.js';
import { listQueryLaws } from './queries/list-query-laws.js';
import { attemptRefusals } from './refusals/attempt-refusals.js';
import { embedRefusals } from './refusals/embed-refusals.js';
import { providerRefusals } from './refusals/provider-refusals.js';
import { quoteRefusals } from './refusals/quote-refusals.js';
import { railBounds } from './refusals/rail-bounds.js';
import { railRefusals } from './refusals/rail-refusals.js';
import { routeRefusals } from './refusals/route-refusals.js';
import { webhookBounds } from './refusals/webhook-bounds.js';
import { webhookRefusals } from './refusals/webhook-refusals.js';
import { savedMethodLaws } from './flows/saved-method-laws.js';
import { sessionRefusals } from './refusals/session-refusals.js';
import { capabilityShapes } from './shapes/capability-shapes.js';
import { poolStrangerLaws } from './strangers/pool-stranger-laws.js';
import { strangerLaws } from './strangers/stranger-laws.js';
import { embedShapes } from './shapes/embed-shapes.js';
import { quoteShapes } from './shapes/quote-shapes.js';
import { railShapes } from './shapes/rail-shapes.js';
import { sessionShapes } from './shapes/session-shapes.js';

export { describedRequestLaws } from './hostile/described-requests-law.js';
export { hostileBodyLaws, type HostileRuns } from './hostile/hostile-law.js';

/** The laws of the engine itself, which hold without any extension. */
export const engineContractLaws: readonly Law<HttpSubject>[] = [
  ...keyLaws,
  ...embedTokenLaws,
  ...checkOrderLaws,
  ...strangerLaws,
  ...fieldLaws,
  ...urlLaws,
  ...bodyLaws,
  ...listQueryLaws,
  ...routeRefusals,
  ...sessionRefusals,
  ...embedRefusals,
  ...attemptRefusals,
  ...providerRefusals,
  ...quoteRefusals,
  ...railRefusals,
  ...webhookRefusals,
  ...webhookBounds,
  ...railBounds,
  ...sessionShapes,
  ...embedShapes,
  ...quoteShapes,
  ...railShapes,
  ...capabilityShapes,
  ...idempotencyLaws,
  ...rateLimitLaws,
  ...corsLaws,
  ...bootstrapLaws,
  ...embedBodyLaws,
  ...brandingLaws,
  ...timelineLaws,
  ...eventLaws,
  ...buyLaws,
  ...cancelLaws,
  ...bankTransferLaws,
  ...deliveryLaws,
  ...handoverLaws,
  ...sellSwapLaws,
  ...suspensionLaws,
  ...sandboxClockLaws,
  ...quotedAttemptLaws,
  ...scenarioLaws,
  ...expiryLaws,
  ...callbackLaws,
  ...refundLaws,
  ...disputeLaws,
  ...savedMethodLaws,
];

/** The laws of the whole wire contract, for every server of it: each endpoint, refusal, field rule, limit and flow. */
export const httpContractLaws: readonly Law<HttpSubject>[] = [
  ...credentialMatrixLaws,
  ...engineContractLaws,
  ...pageLaws,
  ...poolStrangerLaws,
  ...poolKeyLaws,
  ...quoteLaws,
  ...tradeLaws,
];
