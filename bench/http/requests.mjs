import { httpRequest } from '../lib/http-socket.mjs';
import { SECRET_KEY } from '../servers/gate.mjs';

const PATH = '/v1/gate_sessions';
const FIELDS = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const BODY = JSON.stringify(FIELDS);
const AUTH = bearer(SECRET_KEY);

/** Both sides get the same bytes; the key is fresh each time, also across runs on one database. */
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

/** A create whose webhook says when it was sent. */
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

/** What the contract allows one address in a minute, of creates. */
const PER_ADDRESS = 10;
let asked = 0;

/** The load comes from as many addresses as the limits ask for, as a proxy tells them. */
function nextAddress() {
  const client = Math.floor((asked += 1) / PER_ADDRESS);
  return `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`;
}
