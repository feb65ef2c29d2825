export { fastifyGate, type FastifyGateOptions } from './fastify-gate.js';
export { gateServerOptions, type GateServerOptions } from './gate-server-options.js';
