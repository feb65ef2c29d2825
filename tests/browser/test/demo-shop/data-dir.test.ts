import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { SITUATIONS } from '../../../../apps/demo-shop/src/server/orders/terms.js';
import { openDemo, type DemoTab } from '../../open-demo.js';
import { goOn, payByCard } from '../../pay.js';
import { goThrough, uploadAll } from '../../situations.js';
import { CARDS } from '../../test-values.js';

it.each(SITUATIONS)('with a data directory the situation %s reaches its outcome', async (situation) => {
  await goThrough(situation, await openDemoOnDisk());
});

it('a buyer on the full page sends documents, leaves during the review, returns and completes the order', async () => {
  const tab = await openDemoOnDisk();
  const { page, demo } = tab;
  await page.getByRole('tab', { name: 'Full page' }).click();
  await page.getByRole('button', { name: 'Identity documents' }).click();
  await page.waitForURL(`${demo.checkout}/`);
  await goOn(page);
  await payByCard(page, CARDS.succeeds);
  await page.getByRole('heading', { name: 'Confirm your identity' }).waitFor();
  await uploadAll(page);
  await page.getByRole('heading', { name: 'We are checking your documents' }).waitFor();
  await page.getByRole('button', { name: /^Return to / }).click();
  await page.waitForURL(`${demo.shop}/return?order=*`);
  expect(await tab.said('Signed webhook').getByText('Money is moving').count()).toBe(0);

  await page.goBack();
  await page.getByRole('heading', { name: 'We are checking your documents' }).waitFor();
  await demo.settle();
  // The full page returns to the shop automatically.
  await page.waitForURL(`${demo.shop}/return?order=*`);
  await tab.said('Signed webhook').getByText('settled', { exact: true }).waitFor();
});

function openDemoOnDisk(): Promise<DemoTab> {
  const dir = mkdtempSync(join(tmpdir(), 'gateramp-shop-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return openDemo({}, { GATE_DATA_DIR: join(dir, 'data'), GATE_DEMO: 'on' });
}
