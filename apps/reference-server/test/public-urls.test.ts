import { expect, it } from 'vitest';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { call, postAsDemo, readyServer } from './running-server.js';

const PAY = 'https://pay-sandbox.example';
const WALLET = '0x00000000000000000000000000000000000000aa';

it('takes cards from the checkout at its public origin, which calls the API at its public address', async () => {
  const server = await readyServer({
    GATE_SANDBOX_WIDGET_URL: PAY,
    GATE_SANDBOX_URL: 'https://api.example/sandbox',
  });
  const { sandbox, sandbox_widget: widget, demo } = server.origins;
  const page = await fetch(widget);
  expect(page.headers.get('content-security-policy')).toContain('connect-src https://api.example;');
  expect(await page.text()).toContain('https://api.example/sandbox');

  const terms = { amount: '100.00', currency: 'EUR', return_url: `${demo}/done` };
  const session = await postAsDemo(server, '/v1/gate_sessions', terms, 'session');
  const key = { authorization: `Bearer ${DEMO_KEYS.publishable}`, origin: demo };
  const secret = { clientSecret: session['client_secret'] };
  const { json: embed } = await call(`${sandbox}/v1/embed/bootstrap`, key, secret);
  const card = { card_number: '4242424242424242', expiry: '12/50', cvc: '123' };
  const attempt = { flow: 'on_ramp', target_token: 'USDC', target_network: 'base', wallet_address: WALLET };
  const body = { ...attempt, amount: '100.00', currency: 'EUR', payment_method: 'card', payment_details: card };
  const pay = (origin: string) =>
    call(`${sandbox}/v1/embed/intents`, { 'x-embed-token': String(embed['embed_token']), origin }, body);
  expect(await pay(widget)).toMatchObject({ status: 403, json: { code: 'origin_not_allowed' } });
  expect(await pay(PAY)).toMatchObject({ status: 201 });
  server.process.kill('SIGTERM');
  await server.exited;
});

it('warns where other machines reach the server, but not its checkout', async () => {
  const warned = async (settings: Readonly<Record<string, string>>) => {
    const server = await readyServer({ GATE_HOST: '0.0.0.0', GATE_DEMO: 'off', ...settings });
    server.process.kill('SIGTERM');
    await server.exited;
    return server.stderr().includes('the checkout works on this machine only');
  };
  expect(await warned({})).toBe(true);
  expect(await warned({ GATE_SANDBOX_WIDGET_URL: PAY, GATE_WIDGET_URL: 'https://pay.example' })).toBe(false);
});
