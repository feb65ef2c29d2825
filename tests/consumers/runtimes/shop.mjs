import { Gate, GateError, webhooks, WebhookSignatureError } from '@gateramp/sdk-node';

/**
 * A shop of Fetch alone, on whatever runtime serves it: it sells a session, takes the signed webhook that says it is paid, and answers what
 * the SDK says of each of the signature vectors.
 */
export function shop({ secretKey, baseUrl, webhookSecret }) {
  const gate = new Gate(secretKey, { baseUrl });
  const paid = new Map();
  const receiver = webhooks.receive({
    secret: webhookSecret,
    handle: ({ type, data }) => type === 'gate_session.completed' && paid.set(data.id, data.tx_refid),
  });
  const routes = {
    'POST /sessions': () =>
      gate.gateSessions.create({ amount: '25.00', currency: 'EUR', return_url: 'https://shop.example/done' }),
    'GET /sessions': async () => {
      const ids = [];
      for await (const { id } of gate.gateSessions.list({ limit: 1 })) ids.push(id);
      return ids;
    },
    'GET /refusal': () =>
      gate.gateSessions.retrieve('nobody').catch((error) => ({
        isOurs: error instanceof GateError,
        name: error.name,
        status: error.status,
        requestId: error.requestId,
      })),
    'GET /paid': () => Object.fromEntries(paid),
    'POST /vectors': async (request) => (await request.json()).map(reasonOf),
  };
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/hooks') return receiver.fetch(request);
    const route = routes[`${request.method} ${pathname}`];
    return route === undefined ? new Response(null, { status: 404 }) : Response.json(await route(request));
  };
}

function reasonOf(vector) {
  const options = { now: vector.now * 1000, toleranceSeconds: vector.tolerance_seconds };
  try {
    webhooks.constructEvent(payloadOf(vector), vector.header, vector.secrets, options);
    return null;
  } catch (error) {
    if (error instanceof WebhookSignatureError) return error.reason;
    throw error;
  }
}

function payloadOf({ payload, payload_base64: base64, payload_json: json }) {
  if (payload !== undefined) return payload;
  return base64 === undefined ? json : Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
