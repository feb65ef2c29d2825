import { expect, it } from 'vitest';

import { openTab } from '../open-tab.js';
import { script, servePages } from '../serve-pages.js';
import { startGate } from '../start-gate.js';

/** The first call of a partner's page, without our SDK. */
const BOOTSTRAP = `
  const { api, key, clientSecret } = Object.fromEntries(new URLSearchParams(location.search));
  fetch(api + '/v1/embed/bootstrap', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
    body: JSON.stringify({ clientSecret }),
  })
    .then(async (response) => ({ status: response.status, ...(await response.json()) }))
    .then((answer) => {
      document.body.textContent = JSON.stringify(answer);
    });
`;

const SHOP = {
  '/': '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><body><script src="/shop.js"></script></body></html>',
  '/shop.js': script(BOOTSTRAP),
};

it('a partner’s page bootstraps the session that its server has created', async () => {
  const shop = await servePages(SHOP);
  const gate = await startGate({ shopOrigins: [shop.origin] });
  const session = await gate.createSession({ amount: '25.50' });
  const { page } = await openTab();

  await page.goto(addressOf(shop.origin, gate, session.client_secret));

  const answer = await answerOn(page);
  expect(answer).toMatchObject({ status: 200, available: true, session: { id: session.id, amount: '25.50' } });
});

it('a page on an origin that is not allowed is refused and can read the reason', async () => {
  const shop = await servePages(SHOP);
  const stranger = await servePages(SHOP);
  const gate = await startGate({ shopOrigins: [shop.origin] });
  const session = await gate.createSession();
  const { page, expectProblem } = await openTab();
  expectProblem(/Failed to load resource.* 403/);

  await page.goto(addressOf(stranger.origin, gate, session.client_secret));

  expect(await answerOn(page)).toMatchObject({ status: 403, code: 'origin_not_allowed' });
});

function addressOf(shop: string, gate: Awaited<ReturnType<typeof startGate>>, clientSecret: string): string {
  return `${shop}/?${new URLSearchParams({ api: gate.origins.sandbox, key: gate.keys.publishable, clientSecret })}`;
}

async function answerOn(page: Awaited<ReturnType<typeof openTab>>['page']): Promise<unknown> {
  const text = page.locator('body', { hasText: '{' });
  return JSON.parse(await text.innerText());
}
