import type { RailPayment } from '../../domain/rails/rail-payment.js';
import { findPayment } from '../intents/load-purchase.js';
import type { Answers } from '../intents/run-step.js';

/** Requests about a payment over rails are answered with the payment. */
export const PAYMENT_ANSWERS: Answers<RailPayment> = {
  of: (purchase) => {
    if (purchase.session !== null) throw new Error('A purchase of a session is no payment over rails.');
    return purchase.payment;
  },
  stored: async (engine, intent) => {
    const payment = await findPayment(engine, intent);
    if (payment === null) throw new Error('A stored payment is missing.');
    return payment;
  },
};
