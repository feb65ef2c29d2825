export { expressGate, type ExpressGateOptions } from './express-gate.js';
export { keepRawBody } from './keep-raw-body.js';
