export { answerRefusedRequests } from './answer-refused-requests.js';
export { expressGate, type ExpressGateOptions } from './express-gate.js';
export { keepRawBody } from './keep-raw-body.js';
