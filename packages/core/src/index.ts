/**
 * The API for hosts: `createGate` with its parameters and results. Parts of the gate have no separate export (use `Gate['sessions']`).
 * Domain rules and rows are exported by `./domain`, the interfaces of adapters by `./ports`, the wire contract by `./http`, and the
 * default implementations of small ports by `./runtime`.
 */
export { createGate, type Gate, type GateWith } from './gate/create-gate.js';
export type { GatePorts } from './gate/assemble.js';
export { GateArgumentError } from './gate/checks/argument-error.js';
export { DEFAULT_POLICY, type Policy } from './domain/policy.js';
export type { Mode, Scope } from './domain/mode.js';
export type { ErrorCode } from './domain/error-code.js';

export type {
  CreateGateSession,
  CreatedGateSession,
  GateRefusal,
  GateSession,
  GateTransaction,
} from './gate/in-process.js';
export type { FetchOptions } from './http/fetch.js';

export type { Administration } from './gate/admin/administration.js';
export type { NewPartner } from './gate/admin/partners.js';
export type { IssuedKey, NewKey } from './gate/admin/keys.js';
export type { Partner, WebhookEndpoint } from './domain/partner/partner.js';
export type { ApiKey } from './domain/keys/api-key.js';

export type { ConsumedEvent, Consumer } from './application/deliveries/consumers.js';
