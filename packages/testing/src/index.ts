export * from './test-gate/create-test-gate.js';
export { milliseconds, type Duration } from './test-gate/duration.js';
export { stillScheduler } from './test-gate/still-scheduler.js';
export { ACCEPTED, REFUSED, type ReceivedWebhook, type TestReceiver } from './test-gate/test-receiver.js';
export type { TestRequest, TestResponse } from './test-gate/test-request.js';
export { testDeadlines, type TestDeadlines } from './test-gate/test-deadlines.js';
export { testTelemetry, type TestTelemetry } from './test-gate/test-telemetry.js';
export { virtualTimers, type VirtualTimers } from './virtual-timers.js';
