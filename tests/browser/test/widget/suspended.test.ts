import { expect, it } from 'vitest';
import { openFullPage } from '../../widget/open-checkout.js';
import { payByCard } from '../../widget/walk.js';

it('a buyer whose shop is suspended during the checkout sees that it takes no orders', async () => {
  const { ui } = await openFullPage({
    session: { flow: 'on_ramp' },
    prepare: ({ context, expectProblem }) => {
      expectProblem(/403/);
      // As the service answers for a suspended partner; how it gets there is a law of the contract.
      return context.route('**/v1/embed/intents', (route) => {
        const { origin = '' } = route.request().headers();
        const body = {
          type: 'forbidden',
          code: 'partner_suspended',
          message: 'No.',
          request_id: 'req_1',
          statusCode: 403,
        };
        const headers = { 'content-type': 'application/json', 'access-control-allow-origin': origin };
        return route.fulfill({ status: 403, headers, body: JSON.stringify(body) });
      });
    },
  });
  await payByCard(ui);
  await ui.getByText('This shop cannot take more orders for now.').waitFor();
  expect(await ui.getByText('That was refused.').count()).toBe(0);
});
