/**
 * What an extension is made of: its shape, the endpoint table, and the functions through which it reads and writes. Rules and rows are
 * exported by `@gateramp/core/domain`, changes by `@gateramp/core/ports`.
 */
export type {
  Extension,
  ExtensionContext,
  ExtensionLookup,
  FoundObject,
  OpenContext,
  OpenExtension,
} from '../gate/extension.js';
export type { Engine, RecordedAccess, RunTask } from '../application/engine.js';

export type { Listener, RequestInfo } from '../application/listeners.js';

export { apply, TryAgain, unchanged } from '../application/commit/apply.js';
export { execute } from '../application/commit/execute.js';
export { executeKeyed, type Keyed, operationInProgress, replayable } from '../application/idempotency/keyed.js';
export type { Idempotent } from '../application/idempotency/idempotent.js';
export {
  type DocumentKind,
  type DocumentRow,
  documentWrite,
  findKeptRow,
  findRow,
  listRows,
} from '../application/documents/document-kind.js';
export { finishing } from '../application/tasks/finishing.js';
export { inTime, ProviderUnavailable, testWorkOf } from '../application/providers/call-providers.js';
export { sandboxDue } from '../application/work/next-wake-up.js';
export type { SteppedWork } from '../application/work/worker.js';
export { takesOn } from '../application/capabilities/retrieve-capabilities.js';

export { type AnyEndpoint, endpoint, type SignedEndpoint } from '../http/endpoint.js';
export { ALL_HOSTS, CHECKOUT_HOSTS, type Host, servesOn, TEST_HOST } from '../http/hosts.js';
export type { Page } from '../http/page.js';
export { ERROR, statusOn } from '../http/errors.js';
export { EVENT_TYPES, EVENTS } from '../http/events/schemas.js';
export { param } from '../http/pipeline/router.js';
export { GLOBAL_TIERS, KEY_REFUSALS, KEYED_WRITE, perMinute, SECRET_READ, SECRET_WRITE } from '../http/presets.js';
export * as fields from './fields.js';
export { idOf, listEnvelope, listOf, pageLimit } from '../http/schema/lists.js';
export * as members from './members.js';
export { DOCUMENTED, type WireType } from '../http/schema/members.js';
export { type BodyType, cursor, type JsonBody, jsonBody, queryOf, type QueryType } from '../http/schema/request.js';

export { later } from '../gate/assemble.js';
export { operatorOf } from '../gate/admin/partners.js';
export {
  actorProblems,
  callerProblems,
  partnerIdProblems,
  requestIdProblems,
  scopeProblems,
} from '../gate/checks/check-administration.js';
export { GateArgumentError, shapeOf, throwIfAny } from '../gate/checks/argument-error.js';
