import { httpRequest } from '../lib/load.mjs';

const SECRET_KEY = 'sk_test_0000000000000000benchmarks';
const BODY = JSON.stringify({ amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' });
const AUTH = { authorization: `Bearer ${SECRET_KEY}` };

/** Both sides get the same bytes; the key is fresh each time, also across runs on one database. */
export function creates() {
  const run = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  return (n) => httpRequest('POST', '/v1/gate_sessions', { ...AUTH, 'idempotency-key': `bench-${run}-${n}` }, BODY);
}

export function retrieves(id) {
  const request = httpRequest('GET', `/v1/gate_sessions/${id}`, AUTH);
  return () => request;
}
