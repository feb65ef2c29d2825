import { webhooks } from '@gateramp/sdk-node';
import { IS_LIVE, WEBHOOK_SECRET } from '../../lib/gate';
import { payOrder } from '../../lib/orders';

const receiver = webhooks.receive({
  secret: WEBHOOK_SECRET,
  handle: ({ type, livemode, data }) => {
    if (type !== 'gate_session.completed') return;
    const { id, amount, currency, tx_refid: txRefid } = data;
    if (livemode !== IS_LIVE || !payOrder(data.user_reference ?? '', { amount, currency, txRefid }))
      console.error(`Session ${id} was not paid as ordered.`);
  },
});

/** Reads the raw bytes itself, refuses unsigned requests, and passes each event on once. */
export const POST = receiver.fetch;
