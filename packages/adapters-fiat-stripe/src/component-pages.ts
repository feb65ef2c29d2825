/** The path of the pages on their origin. */
export const STRIPE_PAGES = '/stripe/';
/** The `payment_details.token` of an attempt that asks for the component. */
export const COMPONENT_TOKEN = 'payment_element';

/** For the API version of the `stripe` package tested here. Stripe requires its script to be loaded from this address. */
const STRIPE_SCRIPT = 'https://js.stripe.com/endive/stripe.js';

/** See https://docs.stripe.com/security/guide#content-security-policy. The styles come from this package. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
  "style-src 'self'",
  'connect-src https://api.stripe.com',
  'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  'img-src https://*.stripe.com data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The options of `stripePages`. */
export interface StripePagesOptions {
  /** The origins of the checkout, which alone can open the component. */
  readonly framedBy: readonly string[];
}

/**
 * A Fetch handler for the page with Stripe's Payment Element, which the checkout frames. Serve it at `/stripe/` of your own origin, set
 * `componentUrl` of the leg to `<origin>/stripe/component`, and add the origin to the `componentOrigins` of the checkout. The buyer's
 * input goes from Stripe's own frames to Stripe.
 */
export function stripePages({ framedBy }: StripePagesOptions): (request: Request) => Promise<Response> {
  const page = componentPage(framedBy);
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return file(405, 'text/plain', 'Use GET.\n');
    switch (new URL(request.url).pathname) {
      case `${STRIPE_PAGES}component`:
        return file(200, 'text/html', page, { 'content-security-policy': POLICY });
      case `${STRIPE_PAGES}component.js`:
        return file(200, 'text/javascript', SCRIPT);
      case `${STRIPE_PAGES}style.css`:
        return file(200, 'text/css', STYLE);
      default:
        return file(404, 'text/plain', 'There is no such page.\n');
    }
  };
}

function file(status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}

/** Links are relative, so that the page works behind a prefix. No header restricts framing: the shop's origin is not known here. */
function componentPage(framedBy: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment</title>
<link rel="stylesheet" href="style.css">
<link rel="icon" href="data:,">
</head>
<body>
<form id="form" hidden>
<div id="element"></div>
<button id="pay">Pay</button>
</form>
<p id="message" role="alert"></p>
<script src="${STRIPE_SCRIPT}"></script>
<script src="component.js" data-checkout="${framedBy.join(' ')}"></script>
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; padding: .25rem; color: CanvasText; }
button { width: 100%; min-height: 44px; margin-top: 1rem; border: 0; border-radius: 10px; background: #111827; color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
button:disabled { opacity: .6; cursor: default; }
p { margin: .5rem 0 0; }
p:empty { display: none; }
@media (prefers-color-scheme: dark) { button { background: #f9fafb; color: #111827; } }
`;

/** The script of the page. It receives the client secret from the checkout that frames it, and reports when the buyer has paid. */
const SCRIPT = `(() => {
  const origins = document.currentScript.dataset.checkout.split(' ');
  const [form, pay, message] = ['form', 'pay', 'message'].map((id) => document.getElementById(id));
  const UNPAID = ['requires_payment_method', 'requires_confirmation'];
  let checkout = null;
  const tell = (type, payload = {}) => parent.postMessage({ type, payload }, checkout);
  const say = (text) => { message.textContent = text ?? ''; };

  async function open({ clientSecret, publicKey }) {
    if (typeof Stripe === 'undefined') return say('The payment form could not be loaded. Check your connection and try again.');
    const stripe = Stripe(publicKey);
    const { paymentIntent, error } = await stripe.retrievePaymentIntent(clientSecret);
    if (error) return say(error.message);
    if (paymentIntent.status === 'requires_action') return authenticate(stripe, clientSecret);
    if (!UNPAID.includes(paymentIntent.status)) return tell('COMPONENT_DONE');
    showElement(stripe, clientSecret);
  }

  async function authenticate(stripe, clientSecret) {
    const { error } = await stripe.handleNextAction({ clientSecret });
    if (!error) return tell('COMPONENT_DONE');
    say(error.message);
    showElement(stripe, clientSecret);
  }

  function showElement(stripe, clientSecret) {
    const elements = stripe.elements({ clientSecret });
    elements.create('payment').mount('#element');
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      pay.disabled = true;
      say(null);
      const confirmParams = { return_url: location.href };
      const { error } = await stripe.confirmPayment({ elements, confirmParams, redirect: 'if_required' });
      pay.disabled = false;
      if (error) say(error.message);
      else tell('COMPONENT_DONE');
    });
  }

  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || !origins.includes(origin) || data?.type !== 'COMPONENT_INIT' || checkout !== null) return;
    checkout = origin;
    new ResizeObserver(() => tell('COMPONENT_RESIZE', { height: document.documentElement.offsetHeight })).observe(document.body);
    open(data.payload ?? {}).catch(() => say('The payment form could not be opened. Try again.'));
  });
  // The origin of the checkout is not known yet. The message contains nothing secret.
  parent.postMessage({ type: 'COMPONENT_READY', payload: {} }, '*');
})();
`;
