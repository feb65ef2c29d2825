export * from './domain/index.js';
export type { ConsumedEvent, Consumer } from './application/deliveries/consumers.js';
export type { Advanced, Fired } from './application/test-helpers/advance-clock.js';
export type { Administration } from './gate/administration.js';
export type { GatePorts } from './gate/assemble.js';
export { createGate, type Gate } from './gate/create-gate.js';
export type { FetchOptions } from './http/fetch.js';
export type { Sessions, Transactions } from './gate/in-process.js';
export * from './gate/resources.js';
