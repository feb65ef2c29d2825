import { describe, expect, it } from 'vitest';
import { memorySandboxLedger, SANDBOX_CARDS, SANDBOX_PAYMENT_TOKENS, sandboxProvider } from '../src/index.js';
import { at, NOW, start, startWithCard } from './builders.js';

const RETURN_URL = 'https://checkout.example/return';
const CHECKOUT = 'https://checkout.example';

function served(now = NOW) {
  const provider = sandboxProvider({ ledger: memorySandboxLedger(), pagesUrl: 'https://api.example/' });
  return { provider, pages: provider.pages({ now: () => now, framedBy: [CHECKOUT] }) };
}

function form(url: string, fields: Readonly<Record<string, string>>): Request {
  return new Request(url, { method: 'POST', body: new URLSearchParams(fields) });
}

const order = { ...startWithCard(SANDBOX_CARDS.needsRedirect), returnUrl: RETURN_URL };

async function sent({ provider }: ReturnType<typeof served>) {
  const { outcome } = await provider.start(order);
  if (outcome.kind !== 'requires_action' || outcome.nextAction.type !== 'redirect') throw new Error('No redirect.');
  return outcome.nextAction;
}

const back = { ...at(0), intent: order.intent, confirmation: { action: 'redirect' } as const };

describe('a card that needs a page of its issuer', () => {
  it('asks for a visit, and goes on asking until the buyer has decided there', async () => {
    const world = served();
    const action = await sent(world);
    expect(action.url).toMatch(/^https:\/\/api\.example\/sandbox\/authenticate\/op_1\./);
    expect(await world.provider.confirm(back)).toMatchObject({
      outcome: { kind: 'requires_action', nextAction: action },
      checkAfterMs: 60_000,
    });
  });

  it('shows the amount, never in a frame, and returns to the checkout once approved', async () => {
    const world = served();
    const { url } = await sent(world);
    const page = await world.pages(new Request(url));
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await page.text()).toContain('100.00 EUR');
    const answer = await world.pages(form(url, { decision: 'approve' }));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, RETURN_URL]);
    expect((await world.provider.confirm(back)).outcome.kind).toBe('processing');
    expect((await world.provider.lookup(at(5_000)))?.outcome.kind).toBe('succeeded');
  });

  it('fails when the buyer declines, and a second answer changes nothing', async () => {
    const world = served();
    const { url } = await sent(world);
    await world.pages(form(url, { decision: 'decline' }));
    await world.pages(form(url, { decision: 'approve' }));
    expect((await world.provider.lookup(at(1_000)))?.outcome).toMatchObject({
      kind: 'failed',
      failure: { code: 'payment_authentication_failed', retryable: true },
    });
  });

  it('takes no answer after its time, and none for an operation that is closed', async () => {
    const late = served(NOW + 15 * 60_000 + 1);
    await late.pages(form((await sent(late)).url, { decision: 'approve' }));
    expect((await late.provider.lookup(at(0)))?.outcome.kind).toBe('requires_action');
    const closed = served();
    const { url } = await sent(closed);
    await closed.provider.cancel(at(0));
    await closed.pages(form(url, { decision: 'approve' }));
    expect((await closed.provider.lookup(at(1_000)))?.outcome.kind).toBe('cancelled');
    expect((await closed.pages(new Request(url))).status).toBe(404);
  });

  it('is not found under an address that the sandbox did not make', async () => {
    const world = served();
    const { url } = await sent(world);
    const forged = url.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect((await world.pages(new Request(forged))).status).toBe(404);
    expect((await world.pages(form(forged, { decision: 'approve' }))).status).toBe(400);
  });
});

describe('the test wallet', () => {
  const token = { provider: 'sandbox', token: SANDBOX_PAYMENT_TOKENS.sandboxPay };

  it('is offered where its component is served, and only there', async () => {
    const scope = { partnerId: 'p', mode: 'test' } as const;
    expect((await served().provider.capabilities(scope)).components).toMatchObject([
      { wallet: 'sandbox_pay', token: 'sandbox_pay', frameUrl: 'https://api.example/sandbox/component' },
    ]);
    expect((await sandboxProvider().capabilities(scope)).components).toBeUndefined();
  });

  it('pays once the buyer has decided in its component, which only the checkout may open', async () => {
    const { provider, pages } = served();
    const { outcome } = await provider.start(start({}, { paymentDetails: token }));
    if (outcome.kind !== 'requires_action' || outcome.nextAction.type !== 'provider_component')
      throw new Error('No component.');
    const url = 'https://api.example/sandbox/component';
    const page = await pages(new Request(url));
    expect(await page.text()).toContain(`data-checkout="${CHECKOUT}"`);
    const { clientSecret } = outcome.nextAction;
    expect((await pages(form(url, { client_secret: `${clientSecret}0`, decision: 'approve' }))).status).toBe(400);
    expect((await provider.lookup(at(0)))?.outcome.kind).toBe('requires_action');
    expect((await pages(form(url, { client_secret: clientSecret, decision: 'approve' }))).status).toBe(204);
    expect((await provider.lookup(at(5_000)))?.outcome.kind).toBe('succeeded');
  });

  it('has tokens that pay and tokens that are declined', async () => {
    const { provider } = served();
    const kindOf = async (given: string, operationId: string) =>
      (await provider.start({ ...start({}, { paymentDetails: { ...token, token: given } }), operationId })).outcome
        .kind;
    expect(await kindOf(SANDBOX_PAYMENT_TOKENS.succeeds, 'op_2')).toBe('processing');
    expect(await kindOf(SANDBOX_PAYMENT_TOKENS.declines, 'op_3')).toBe('failed');
  });
});
