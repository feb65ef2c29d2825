import assert from 'node:assert/strict';
import {
  Gate,
  GateError,
  webhooks,
  WebhookSignatureError,
  type CreateGateSession,
  type GateSession,
  type PayIn,
  type WebhookEvent,
} from '@gateramp/sdk-node';

/** The Node SDK as an ES module, under `exactOptionalPropertyTypes` and with every declaration checked. */
const asked: string[] = [];
const answer: GateSession = {
  id: '68a1f0c2b7e94d1f3a5c7e90',
  object: 'gate_session',
  partner_id: 'prt_acme',
  mode: 'test',
  flow: null,
  amount: '100.00',
  currency: 'EUR',
  target_token: null,
  target_network: null,
  return_url: 'https://shop.example/done',
  cancel_url: null,
  wallet_address: null,
  user_reference: null,
  kyc_pre_verified: false,
  // A status that this version does not know compiles.
  status: 'paused',
  expires_at: '2030-01-02T12:00:00.000Z',
  created_at: '2030-01-01T12:00:00.000Z',
  metadata: {},
};
const gate = new Gate('sk_test_consumer', {
  baseUrl: undefined,
  fetch: async (input) => {
    asked.push(new Request(input).url);
    return Response.json(answer);
  },
});

const flow: string | undefined = undefined;
const body: CreateGateSession = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done', flow };
const session = await gate.gateSessions.create(body, { signal: undefined, extraBody: { new_field: 1 } });
assert.equal(session.status, 'paused');
assert.deepEqual(asked, ['https://sandbox.gateramp.example/v1/gate_sessions']);

/** What a known type carries is known, and what is new compiles. */
function refidOf(event: WebhookEvent): string | null {
  switch (event.type) {
    case 'gate_session.completed':
      return event.data.tx_refid;
    case 'gate_session.paused': {
      const data: { readonly refid: string } = event.data;
      return data.refid;
    }
    default:
      return event.type === '' ? '' : null;
  }
}

/** The members of an event are told apart where they are taken out of it, too. */
const { receive } = webhooks.receive({
  secret: 'whsec_a_consumers_own_secret',
  handle: ({ type, data }) => {
    if (type === 'gate_session.completed') paid.push(data.tx_refid);
  },
});
const paid: string[] = [];

/** A kind that this version does not know compiles. */
const isNewKind = ({ instructions }: PayIn): boolean => instructions?.type === 'instant_transfer';
assert.equal(typeof isNewKind, 'function');

const secret = 'whsec_a_consumers_own_secret';
const payload = JSON.stringify({ id: 'e1', type: 'gate_session.paused', data: { refid: 'gtx_1' } });
const event = webhooks.constructEvent(payload, webhooks.generateTestHeader({ payload, secret }), secret);
assert.equal(refidOf(event), 'gtx_1');
assert.throws(
  () => webhooks.constructEvent(payload, null, secret),
  (error) => error instanceof WebhookSignatureError && error instanceof GateError && error.reason === 'no_header',
);

const completed = JSON.stringify({ id: 'e2', type: 'gate_session.completed', data: { tx_refid: 'gtx_2' } });
await receive(completed, webhooks.generateTestHeader({ payload: completed, secret }));
assert.deepEqual(paid, ['gtx_2']);
