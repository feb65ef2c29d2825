import { expect, it } from 'vitest';
import { goTo, openConsole, startConsoleGate } from '../../console/open-console.js';
import { picturePath } from '../../pictures.js';

it('a branding is seen in the real checkout while it is typed', async () => {
  const gate = await startConsoleGate();
  const { page } = await openConsole(gate, { mode: 'test' });
  await goTo(page, gate.origins.console, 'branding');
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  const checkout = dialog.frameLocator('iframe');
  await checkout.getByText('Your shop').first().waitFor();
  const stepsBack = await page.evaluate(() => history.length);
  await dialog.getByLabel('Name').fill('Café <b>Ada</b>');
  await dialog.getByLabel('Accent colour').fill('#b3005e');
  await dialog.getByLabel('Appearance').selectOption('dark');
  await checkout.getByText('Café <b>Ada</b>').first().waitFor();
  await checkout.locator('html[data-theme="dark"]').waitFor();
  const accent = () => checkout.locator('html').evaluate((html) => html.style.getPropertyValue('--accent'));
  expect(await accent()).not.toBe('');
  await page.screenshot({ path: picturePath('console-branding-preview') });
  await dialog.getByLabel('Accent colour').fill('');
  await expect.poll(accent).toBe('');
  // Back to what it was at first.
  await dialog.getByLabel('Appearance').selectOption({ index: 0 });
  await dialog.getByLabel('Name').fill('');
  await checkout.getByText('Your shop').first().waitFor();
  // The frame takes no input, and its changes are no steps of the history.
  expect(await checkout.locator('#root').evaluate((root) => (root as HTMLElement).inert)).toBe(true);
  expect(await page.evaluate(() => history.length)).toBe(stepsBack);
});
