import { expect, it } from 'vitest';

import { picturePath } from '../../pictures.js';
import { openFullPage } from '../../widget/open-checkout.js';

it.each([
  ['wide', { width: 1280, height: 800 }],
  ['phone', { width: 375, height: 740 }],
] as const)('after a refusal that says to try again, one can: %s', async (look, viewport) => {
  let isRefused = true;
  const { ui, page } = await openFullPage({
    session: { flow: 'on_ramp' },
    tab: { viewport },
    prepare: ({ context, expectProblem }) => {
      expectProblem(/401/);
      return context.route('**/v1/embed/bootstrap', (route) => {
        if (!isRefused) return route.continue();
        const { origin = '' } = route.request().headers();
        const body = { type: 'unauthorized', code: 'invalid_api_key', message: 'No.', request_id: 'req_1' };
        const headers = { 'content-type': 'application/json', 'access-control-allow-origin': origin };
        return route.fulfill({ status: 401, headers, body: JSON.stringify({ ...body, statusCode: 401 }) });
      });
    },
  });
  await ui.getByText('That was refused. Try again, or go back to the shop.').waitFor();
  await page.screenshot({ path: picturePath(`refused-opening-${look}`) });
  isRefused = false;
  await ui.getByRole('button', { name: 'Try again' }).click();
  await ui.getByRole('button', { name: 'Continue' }).waitFor();
  expect(await ui.getByText('That was refused').count()).toBe(0);
});
