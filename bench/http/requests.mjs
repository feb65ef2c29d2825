import { httpRequest } from '../lib/http-socket.mjs';
import { SECRET_KEY } from '../servers/gate.mjs';

const PATH = '/v1/gate_sessions';
const FIELDS = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const BODY = JSON.stringify(FIELDS);
const AUTH = bearer(SECRET_KEY);

/** Creates for both sides, with a new idempotency key each time, also across runs on one database. */
export function creates({ key = SECRET_KEY } = {}) {
  const run = runName();
  return (n) =>
    httpRequest(
      'POST',
      PATH,
      { ...bearer(key), 'idempotency-key': `bench-${run}-${n}`, 'x-forwarded-for': nextAddress() },
      BODY,
    );
}

export function retrieves(id) {
  return () => httpRequest('GET', `${PATH}/${id}`, { ...AUTH, 'x-forwarded-for': nextAddress() });
}

/** A create whose webhook contains the time of the request. */
export function createdAt(instant) {
  const headers = { ...AUTH, 'idempotency-key': `bench-${runName()}`, 'x-forwarded-for': nextAddress() };
  return httpRequest('POST', PATH, headers, JSON.stringify({ ...FIELDS, user_reference: `sent ${instant}` }));
}

function runName() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
}

function bearer(key) {
  return { authorization: `Bearer ${key}` };
}

/** The number of creates per minute that the contract allows for one address. */
const PER_ADDRESS = 10;
let asked = 0;

/** The client address for `x-forwarded-for`. It changes often enough to stay within the limits per address. */
function nextAddress() {
  const client = Math.floor((asked += 1) / PER_ADDRESS);
  return `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`;
}
