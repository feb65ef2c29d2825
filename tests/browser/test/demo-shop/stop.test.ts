import { expect, it, onTestFinished } from 'vitest';

import { readyServer } from '../../../../apps/reference-server/test/running-server.js';
import { stopwatch } from '../../../services/stopwatch.js';
import { WAITS_MS } from '../../open-tab.js';
import { testBrowser } from '../../test-browser.js';

const STOP_MAX_MS = 12_000;

it('SIGTERM with the shop and a checkout open in a browser drains within 12 s', async () => {
  const server = await readyServer({ GATE_RATE_LIMITS: 'off' });
  onTestFinished(() => void server.process.kill('SIGKILL'));
  // Does not use `openTab`, since the page reports connection errors once the server has stopped.
  const page = await (await testBrowser()).newPage();
  onTestFinished(() => page.close());
  page.setDefaultTimeout(WAITS_MS);
  await page.goto(`${server.origins.demo}/`);
  await page.getByRole('button', { name: 'Open the checkout' }).click();
  await page.frameLocator('#checkout iframe').getByRole('button', { name: 'Continue' }).waitFor();

  const elapsed = stopwatch();
  server.process.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(elapsed()).toBeLessThan(STOP_MAX_MS);
  await page.getByText('The shop’s server does not answer').waitFor();
});
