export { Gate, type GateOptions } from './gate.js';
export { webhooks } from './webhooks/webhooks.js';
export {
  type RawBody,
  type SignatureHeader,
  type SigningSecrets,
  type VerifyOptions,
} from './webhooks/construct-event.js';
export { type TestHeaderOptions } from './webhooks/generate-test-header.js';

export { GateError, type FieldError } from './errors/gate-error.js';
export {
  APIConnectionError,
  APIError,
  AuthenticationError,
  ConflictError,
  IdempotencyError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  TimeoutError,
} from './errors/classes.js';
export { WebhookSignatureError, type SignatureReason } from './errors/webhook-signature-error.js';

export { type Fetch, type FetchInit } from './http/attempt.js';
export { type CallOptions } from './http/call.js';
export { GatePromise, type WithResponse } from './http/gate-promise.js';
export { type AttemptResult, type Logger, type LogLevel, type RequestAttempt } from './http/observer.js';
export { ListPromise, Page } from './http/page.js';
export { VERSION } from './version.js';

export { type OpenEnum } from './types/open.js';
export { type KnownEvent, type UnknownEvent, type WebhookEvent } from './types/webhook-event.js';
export { type FollowOptions, type GateEvent } from './resources/events.js';
export { type Pool } from './resources/pools.js';
export type * from './generated/capabilities.js';
export type * from './generated/events.js';
export type * from './generated/money.js';
export type * from './generated/queries.js';
export type * from './generated/requests.js';
export type * from './generated/resources.js';

export {
  memoryEvents,
  type Claim,
  type Lease,
  type ReceivedEvent,
  type ReceivedEvents,
  type Recorded,
  type TransactionalEvents,
} from './webhooks/receive/received-events.js';
export { type EventContext } from './webhooks/receive/handle-once.js';
export { type ReceiveOptions, type WebhookReceiver } from './webhooks/receive/receive.js';
export { type ReceiveDelivery, type WebhookResponse } from './webhooks/receive/answer.js';
