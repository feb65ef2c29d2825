import { script } from '../serve-pages.js';
import { begin, type Begun, type CheckoutOptions } from './open-checkout.js';

/**
 * The baseline for the full page: the first step as a plain page that makes the same calls in sequence. Its session comes from its own
 * server, since the gate lets only the widget read it.
 */
export async function openByHand(options: CheckoutOptions = {}): Promise<Begun> {
  const begun = await begin(options);
  const { page, shop, gate, session } = begun;
  shop.serve('/checkout', PAGE);
  shop.serve('/checkout.css', { type: 'text/css; charset=utf-8', body: STYLE });
  shop.serve('/checkout.js', script(SCRIPT));
  shop.serve('/session', { type: 'application/json', body: JSON.stringify(session) });
  const query = new URLSearchParams({
    api: gate.origins.sandbox,
    key: gate.keys.publishable,
    secret: session.client_secret,
  });
  await page.goto(`${shop.origin}/checkout?${query.toString()}`);
  return begun;
}

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Checkout</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/checkout.css"><script type="module" src="/checkout.js"></script></head>
<body><main></main></body>
</html>
`;

const STYLE = `
body { font: 16px system-ui; margin: 2rem auto; max-width: 30rem; }
label { display: block; padding: 0.5rem; }
`;

const SCRIPT = `
const given = new URLSearchParams(location.search);
const opened = await (await fetch(given.get('api') + '/v1/embed/bootstrap', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + given.get('key'), 'content-type': 'application/json' },
  body: JSON.stringify({ clientSecret: given.get('secret') }),
})).json();
const session = await (await fetch('/session', { headers: { authorization: 'Bearer ' + opened.embed_token } })).json();
const form = document.createElement('form');
for (const flow of ['on_ramp', 'off_ramp', 'swap']) {
  const choice = Object.assign(document.createElement('input'), { type: 'radio', name: 'flow', value: flow, checked: flow === session.flow });
  const label = document.createElement('label');
  label.append(choice, flow);
  form.append(label);
}
form.append(session.amount + ' ' + session.currency, Object.assign(document.createElement('button'), { textContent: 'Continue' }));
document.querySelector('main').append(form);
`;
