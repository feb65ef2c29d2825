import { ok } from 'neverthrow';
import { toJsonText } from '../domain/json/json-text.js';
import { BOTH_MODES } from './both-modes.js';
import { endpoint } from './endpoint.js';
import { noQuery } from './pipeline/read-query.js';

export const health = endpoint({
  method: 'GET',
  path: '/health',
  summary: 'Health probe, never throttled',
  auth: 'none',
  limits: null,
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: null,
  query: noQuery,
  body: 'none',
  success: 200,
  errors: {},
  run: ({ mode }) => Promise.resolve(ok(toJsonText({ object: 'health', status: 'ok', mode }))),
});
