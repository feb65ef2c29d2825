/** The parts of the published kit that the contract laws use: a gate served by an adapter, calls to it, and helpers to read responses. */
export * from '../../packages/conformance/src/http/answer.js';
export * from '../../packages/conformance/src/http/calls.js';
export * from '../../packages/conformance/src/http/described.js';
export * from '../../packages/conformance/src/http/operations.js';
export * from '../../packages/conformance/src/http/route.js';
export * from '../../packages/conformance/src/http/routes.js';
export * from '../../packages/conformance/src/http/subject.js';
export * from '../../packages/conformance/src/http/world.js';
export type { Law } from '../../packages/conformance/src/law.js';
export { ALL_SESSIONS, ALL_TRANSACTIONS, newest } from '../../packages/conformance/src/store/queries.js';
