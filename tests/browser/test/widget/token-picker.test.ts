import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { expectAccessible } from '../../accessible.js';
import { openFullPage } from '../../widget/open-checkout.js';
import { WALLET } from '../../test-values.js';
import { atStep, press } from '../../widget/walk.js';

it('a token is found in its sheet by keyboard only, and focus returns to the opener', async () => {
  const { page } = await openFullPage({ session: { flow: 'on_ramp' } });
  await page.locator('.price bdi').first().waitFor();
  const picker = page.getByRole('button', { name: 'Asset to receive' });
  await picker.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Asset to receive' });
  await sheet.getByRole('button', { name: 'ETH on Ethereum' }).waitFor();
  await expectAccessible(page);
  await sheet.getByLabel('Search').fill('doge');
  await sheet.getByText('Nothing found.').waitFor();
  await sheet.getByLabel('Search').fill('eth usd');
  expect(await sheet.getByRole('listitem').allInnerTexts()).toEqual([expect.stringMatching(/^USDC\s+on Ethereum$/)]);
  await sheet.getByLabel('Search').press('Enter');
  await sheet.waitFor({ state: 'detached' });
  expect(await picker.getAttribute('aria-label')).toBe('Asset to receive: USDC on Ethereum');
  await picker.press('Enter');
  await sheet.waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(() => picker.evaluate((one) => one === document.activeElement)).toBe(true);
});

it('an address is pasted, and its ends are shown for comparison', async () => {
  const { page } = await openFullPage({
    session: { flow: 'on_ramp' },
    tab: { permissions: ['clipboard-read', 'clipboard-write'] },
  });
  await page.locator('.price bdi').first().waitFor();
  await press(page, 'Continue');
  await atStep(page, 'Where should we send it?');
  const field = page.getByLabel(/wallet address$/);
  // Tests in other tabs of this browser may write to its clipboard too.
  const pasted = async (): Promise<string> => {
    await field.fill('');
    await page.evaluate((text) => navigator.clipboard.writeText(` ${text} `), WALLET);
    await press(page, 'Paste');
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#wallet')?.value !== '');
    return field.inputValue();
  };
  await expect.poll(pasted).toBe(WALLET);
  await page.getByText('Compare with your wallet:').waitFor();
  expect(await page.locator('.ends .address').innerText()).toBe(`${WALLET.slice(0, 6)}…${WALLET.slice(-4)}`);
  await page.getByText('Only use an address that receives USDC on Base.').waitFor();
});

it('an address is stored on this device only, at the buyer’s request, and can be deleted', async () => {
  const { page } = await openFullPage({ session: { flow: 'on_ramp' } });
  const toWallet = async (): Promise<void> => {
    await page.locator('.price bdi').first().waitFor();
    await press(page, 'Continue');
    await atStep(page, 'Where should we send it?');
  };
  const kept = (): Promise<string | null> => page.evaluate(() => localStorage.getItem('gate:addresses'));
  await toWallet();
  await page.getByLabel(/wallet address$/).fill(WALLET);
  await press(page, 'Continue');
  await atStep(page, 'Pay by card');
  expect(await kept()).toBeNull();
  await press(page, 'Back');
  await page.getByLabel('Remember on this device').check();
  await press(page, 'Continue');
  await atStep(page, 'Pay by card');
  expect(await kept()).toContain(WALLET);
  await press(page, 'Back');
  await page.getByLabel(/wallet address$/).fill('');
  await page.getByText('Recently used on this device').waitFor();
  await expectAccessible(page);
  await press(page, `${WALLET.slice(0, 6)}…${WALLET.slice(-4)}`);
  expect(await page.getByLabel(/wallet address$/).inputValue()).toBe(WALLET);
  await page.getByLabel(/wallet address$/).fill('');
  await press(page, 'Forget these addresses');
  expect(await kept()).toBeNull();
});

/** Opens the checkout at its wallet step, with a camera that sees nothing twice and then a QR code. */
async function scan(code: string): Promise<Page> {
  const { page } = await openFullPage({
    session: { flow: 'on_ramp', target_token: 'USDC', target_network: 'base' },
    prepare: async ({ page: tab }) => {
      // Stubbed, since this browser has no BarcodeDetector.
      await tab.addInitScript((rawValue) => {
        const codes = [[], [], [{ rawValue }]];
        class Reader {
          detect() {
            return Promise.resolve(codes.shift() ?? []);
          }
        }
        Object.assign(globalThis, { BarcodeDetector: Reader });
        navigator.mediaDevices.getUserMedia = () => {
          const stream = document.createElement('canvas').captureStream();
          Object.assign(globalThis, { camera: stream.getVideoTracks()[0] });
          return Promise.resolve(stream);
        };
        HTMLMediaElement.prototype.play = () => Promise.resolve();
      }, code);
    },
  });
  await page.locator('.price bdi').first().waitFor();
  await press(page, 'Continue');
  await press(page, 'Scan a QR code');
  return page;
}

it('a QR code is read with the camera, which is stopped afterwards', async () => {
  const page = await scan(`ethereum:${WALLET}@8453`);
  await page.getByText('Compare with your wallet:').waitFor();
  expect(await page.getByLabel(/wallet address$/).inputValue()).toBe(WALLET);
  expect(await page.evaluate(() => (globalThis as unknown as { camera: MediaStreamTrack }).camera.readyState)).toBe(
    'ended',
  );
});

it('a scanned address for another chain is refused, and both are named', async () => {
  const page = await scan(`ethereum:${WALLET}@1`);
  await page.getByText('This address is for Ethereum. You are buying on Base.').waitFor();
  const field = page.getByLabel(/wallet address$/);
  expect(await field.inputValue()).toBe(`ethereum:${WALLET}@1`);
  await field.fill(`base:${WALLET}`);
  await press(page, 'Continue');
  await atStep(page, 'Pay by card');
});

it('the card brand is shown, and an American Express number is grouped as printed', async () => {
  const { page } = await openFullPage({ session: { flow: 'on_ramp', wallet_address: WALLET } });
  await page.locator('.price bdi').first().waitFor();
  await press(page, 'Continue');
  await page.getByLabel('Card number').pressSequentially('378282246310005');
  expect(await page.getByLabel('Card number').inputValue()).toBe('3782 822463 10005');
  await page.getByRole('img', { name: 'American Express' }).waitFor();
});
