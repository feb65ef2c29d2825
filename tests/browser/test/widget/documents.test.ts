import { crc32, deflateSync } from 'node:zlib';
import type { Frame, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { picturePath } from '../../pictures.js';
import { CARDS } from '../../test-values.js';
import { openFullPage } from '../../widget/open-checkout.js';
import { atStep, payByCard, press, succeeded, underWay } from '../../widget/walk.js';

it('documents are uploaded and reviewed while the page is closed, and then the order is paid', async () => {
  const checkout = await openFullPage({ session: { flow: 'on_ramp', amount: '17.50' }, prepare: recordSent });
  const { ui, page, gate, session } = checkout;
  checkout.expectProblem(/ERR_INTERNET_DISCONNECTED/);
  await payByCard(ui, CARDS.succeeds);
  await atStep(ui, 'Confirm your identity');

  await choose(ui, 'Front', picture('front.png', 3_200, 1_800));
  await received(ui, 'Front');
  // The chosen picture is shown unchanged, but sent scaled down.
  const shown = ui.getByRole('img', { name: 'Front' });
  expect(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(3_200);
  await expect.poll(() => page.evaluate(() => globalThis.sent)).toEqual(['image/jpeg 2400 × 1350']);

  await choose(ui, 'Back', { name: 'back.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') });
  await ui.getByText('This file cannot be used.', { exact: false }).waitFor();
  await choose(ui, 'Back', {
    name: 'back.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.alloc(11 * 1024 * 1024, '%PDF-1.7 '),
  });
  await ui.getByText('This file is 11 MB. The limit is 10 MB.').waitFor();
  await press(ui, 'Send for review');
  await ui.getByText('Add this picture.').waitFor();

  await page.context().setOffline(true);
  await choose(ui, 'Back', picture('back.png', 600, 400));
  await ui.getByText('The connection was lost.', { exact: false }).waitFor();
  await page.context().setOffline(false);
  await received(ui, 'Back');
  await choose(ui, 'Selfie', picture('selfie.png', 400, 600));
  await received(ui, 'Selfie');
  await page.screenshot({ path: picturePath('documents-received'), fullPage: true });

  await press(ui, 'Send for review');
  await atStep(ui, 'We are checking your documents');
  await page.screenshot({ path: picturePath('documents-review'), fullPage: true });
  await page.goto('about:blank');
  const query = new URLSearchParams({ client_secret: session.client_secret, publishableKey: gate.keys.publishable });
  await page.goto(`${gate.origins.sandboxWidget}/?${query.toString()}`);
  await atStep(ui, 'We are checking your documents');
  await checkout.pass(30);
  await underWay(ui);
  await checkout.pass(10);
  await succeeded(ui);
});

declare global {
  /** The types and sizes of the pictures that the page has sent. */
  // Only a `var` declares a property of the global object.
  var sent: string[];
}

/** Records the pictures that the page sends, since browsers do not expose file contents of requests. */
function recordSent({ page }: { readonly page: Page }): Promise<unknown> {
  return page.addInitScript(() => {
    globalThis.sent = [];
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (this: XMLHttpRequest, body?: XMLHttpRequestBodyInit | Document | null) {
      if (body instanceof Blob)
        void createImageBitmap(body).then(({ width, height }) =>
          globalThis.sent.push(`${body.type} ${width} × ${height}`),
        );
      send.call(this, body);
    };
  });
}

type Chosen = Parameters<ReturnType<Page['locator']>['setInputFiles']>[0];

function sideOf(ui: Page | Frame, side: string) {
  return ui.getByRole('listitem').filter({ has: ui.getByRole('heading', { name: side, exact: true }) });
}

async function choose(ui: Page | Frame, side: string, file: Chosen): Promise<void> {
  await sideOf(ui, side).locator('input[type=file]').last().setInputFiles(file);
}

async function received(ui: Page | Frame, side: string): Promise<void> {
  await sideOf(ui, side).getByText('Received').waitFor();
}

/** A valid PNG of a single colour. */
function picture(name: string, width: number, height: number) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  // Each row starts with its filter type, 0 for none.
  const rows = deflateSync(Buffer.alloc((width + 1) * height));
  const chunks = [chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))];
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return { name, mimeType: 'image/png', buffer: Buffer.concat([signature, ...chunks]) };
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.byteLength, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
