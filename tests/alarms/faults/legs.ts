import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { FakeStripe } from '../../../packages/adapters-fiat-stripe/test/fake-stripe/fake-stripe.js';
import { TEST_METHODS } from '../../../packages/adapters-fiat-stripe/test/fake-stripe/books.js';
import {
  advance,
  BUYER,
  enabledFlows,
  openCheckout,
  previewPrice,
  PURCHASE,
  settledIntent,
  SILENT,
  until,
  withStripe,
} from '../../legs/checkout.js';
import type { Fault } from '../scene.js';
import { startChain, watched, changed, refuse, purchase, sale, listening } from '../legs-world.js';

/** Faults of processors, services and prices, on a server with provider legs and a private chain. */
export const LEGS_FAULTS: readonly Fault[] = [
  {
    title: 'a payout is rejected, and its deposit cannot be returned',
    alerts: ['GateOperationStuck', 'GateOperationsUnresolved'],
    async cause(scene) {
      const chain = await startChain();
      const server = await watched(scene, chain.environment);
      await scene.minutes(1);
      scene.begins();
      await refuse(chain, BUYER);
      const payout = { type: 'iban', iban: 'DE67370400440532010001', account_holder: 'Test Buyer' };
      const { address, amount } = await sale(server, { payout_details: payout });
      await chain.pay(address, amount);
      await scene.raised('operation_stuck');
      await scene.minutes(2);
    },
  },
  {
    title: 'the screening service does not answer',
    alerts: ['GateLegCallUnknown'],
    async cause(scene) {
      const chain = await startChain();
      const screening = { type: 'http', url: SILENT, token_env: 'GATE_SCREENING_TOKEN' };
      const settings = changed(chain, (legs) => ({ ...legs, screening }));
      const server = await watched(scene, { ...settings, GATE_SCREENING_TOKEN: 'a-token-of-the-tests' });
      await scene.minutes(1);
      scene.begins();
      await purchase(server).catch(() => null);
      for (let tries = 0; tries < 14; tries += 1) {
        await advance(server, 61);
        await scene.minutes(2);
      }
      await scene.raised('leg_call_unknown');
    },
  },
  {
    title: 'the source of prices moves one by a factor, and is away later',
    alerts: ['GatePriceJump', 'GatePriceUnavailable'],
    async cause(scene) {
      const chain = await startChain();
      const source = { isAway: false, euros: '0.92' };
      const prices = createServer((_, response) => {
        if (source.isAway) return void response.writeHead(500).end();
        const at = new Date().toISOString();
        response.end(JSON.stringify({ 'USDC/EUR': { price: source.euros, at }, 'USDC/USD': { price: '1.00', at } }));
      });
      const url = `${await listening(prices)}/prices`;
      const settings = changed(chain, (legs) => ({
        ...legs,
        exchange: { ...legs.exchange, prices: { url, max_age_seconds: 5, pairs: ['USDC/EUR', 'USDC/USD'] } },
      }));
      const server = await watched(scene, settings);
      await enabledFlows(server);
      await scene.minutes(1);
      scene.begins();
      source.euros = '0.092';
      // Prices are asked for by requests.
      await until(() =>
        previewPrice(server).then(
          () => null,
          () => true,
        ),
      );
      await scene.raised('price_jump');
      source.euros = '0.92';
      source.isAway = true;
      // A price is trusted until it is too old, and asked for by requests.
      await until(async () => ((await enabledFlows(server)).length === 0 ? true : null));
      await scene.raised('price_unavailable');
    },
  },
  {
    title: 'Stripe refuses a request, a bank takes a payment back, and a person refunds one in the dashboard',
    alerts: ['GateStripeRequestRefused', 'GatePaymentChargedBack', 'GatePaymentRefundedOutside'],
    async cause(scene) {
      const chain = await startChain();
      const fake = new FakeStripe();
      await fake.listen();
      onTestFinished(() => fake.stop());
      const server = await watched(scene, withStripe(chain, fake));
      await scene.minutes(1);
      scene.begins();
      const report = async () => {
        for (const event of fake.books.events.splice(0).toReversed()) {
          const { rawBody, headers } = fake.callback(event);
          const url = `${server.origins.sandbox}/v1/providers/legs/callbacks`;
          await fetch(url, { method: 'POST', headers, body: new Uint8Array(rawBody) });
        }
      };
      const buyer = await openCheckout(server);
      const pays = (token: string) =>
        buyer('POST', '/v1/embed/intents', { ...PURCHASE, payment_details: { provider: 'legs', token } });
      const { id, next_action: action } = await pays('payment_element');
      const { client_secret: secret } = action as unknown as { readonly client_secret: string };
      const paid = fake.books.confirm(secret.split('_secret_')[0] ?? '', TEST_METHODS.succeeds, null);
      await report();
      await settledIntent(buyer, id);
      fake.books.refundByHand(paid.id, 100);
      await report();
      await scene.raised('payment_refunded_outside');
      fake.books.dispute(paid.id, 'needs_response');
      await report();
      await scene.raised('payment_charged_back');
      const other = await openCheckout(server);
      const details = { provider: 'legs', token: 'pm_of_another_account' };
      await other('POST', '/v1/embed/intents', { ...PURCHASE, payment_details: details }).catch(() => null);
      await scene.raised('stripe_request_refused');
    },
  },
];
