import { readFileSync } from 'node:fs';
import type { Connection } from './gate.ts';
import { MUG } from './orders.ts';

export const SHOP_PAGE = `<!doctype html><title>Mugs</title><h1>A mug, ${MUG.amount} ${MUG.currency}</h1>
<form method="post" action="/orders"><button>Buy</button></form>`;

/** Mounts the checkout of the session whose secret is in the address. */
export function checkoutPage({ publishableKey, apiUrl, checkoutUrl }: Connection): string {
  const options = JSON.stringify({ publishableKey, apiBaseUrl: apiUrl, iframeUrl: checkoutUrl, height: 'auto' });
  return `<!doctype html><title>Checkout</title><div id="checkout"></div>
<script src="/gateramp.js"></script>
<script>
  const clientSecret = new URLSearchParams(location.hash.slice(1)).get('client_secret');
  createGateOnRamp({ ...${options}, clientSecret }).mount('#checkout');
</script>`;
}

/** The browser SDK for pages without a bundler. */
export const SDK_SCRIPT = readFileSync(new URL('gateramp.js', import.meta.resolve('@gateramp/sdk-browser')), 'utf8');
