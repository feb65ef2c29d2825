import assert from 'node:assert/strict';
import { widgetHandler } from '@gateramp/widget';

/** The hosted checkout as an ES module: the package carries its page, and everything that the page loads. */
const answer = widgetHandler({
  mode: 'test',
  apiOrigin: 'https://sandbox-api.example',
  originsOf: async (key) => (key === 'pk_test_consumer' ? ['https://shop.example'] : null),
});
const page = await answer(new Request('https://pay.example/embed?publishableKey=pk_test_consumer'));
assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors https:\/\/shop\.example;/);
const loaded = [...(await page.text()).matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)];
assert.ok(loaded.length >= 2, 'a script and a style');
for (const [, path] of loaded) assert.equal((await answer(new Request(`https://pay.example${path}`))).status, 200);
