import { webhooks } from '@gateramp/sdk-node';
import { WEBHOOK_SECRET } from '../../lib/gate';
import { payOrder } from '../../lib/orders';

const receiver = webhooks.receive({
  secret: WEBHOOK_SECRET,
  handle: ({ type, data }) => {
    if (type === 'gate_session.completed') payOrder(data.user_reference ?? '', data.tx_refid);
  },
});

/** Reads the raw bytes itself, believes none that are not signed, and hands each event over once. */
export const POST = receiver.fetch;
