import type { Fault } from '../scene.js';
import { openShop, startReceiver } from '../shop.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Faults of receivers, buyers and providers, on a server in memory. */
export const ENGINE_FAULTS: readonly Fault[] = [
  {
    title: 'a receiver refuses every attempt',
    alerts: [
      'GateDeliveriesFailing',
      'GateDeliveryDeadLettered',
      'GateFirstAttemptsFailingFast',
      'GateFirstAttemptsFailingSlow',
    ],
    async cause(scene) {
      const receiver = await startReceiver();
      const shop = await openShop(scene, { receiver: receiver.url });
      for (let orders = 0; orders < 5; orders += 1) await shop.order('live');
      await scene.minutes(2);
      receiver.answer = 'refuse';
      scene.begins();
      for (let minute = 0; minute < 22; minute += 1) {
        await Promise.all([shop.order('live'), shop.order('live'), shop.order()]);
        await scene.minutes(1);
      }
      for (const seconds of [60, 300, 1_800, 7_200]) {
        await shop.advance(seconds);
        await scene.minutes(2);
      }
      await scene.raised('delivery_dead_lettered');
    },
  },
  {
    title: 'money arrives for sessions that have ended, or goes back',
    alerts: ['GateSettledAfterClose', 'GateSecondSettlement', 'GateChargedBack'],
    async cause(scene) {
      const shop = await openShop(scene, {});
      await scene.minutes(1);
      scene.begins();
      const left = await shop.play('abandon');
      await shop.call('POST', `/v1/gate_sessions/${left}/cancel`);
      await shop.callback(`op_${left}_1`, 'succeeded');
      const twice = await shop.play('abandon');
      await shop.advance(HOUR);
      await shop.call('POST', `/v1/test_helpers/gate_sessions/${twice}/simulate`, { scenario: 'succeed' });
      await shop.callback(`op_${twice}_1`, 'succeeded');
      const paid = await shop.play('succeed');
      await shop.callback(`op_${paid}_1`, 'charged_back');
      await scene.raised('settled_after_close', 'second_settlement', 'charged_back');
    },
  },
  {
    title: 'a provider settles nothing for a day',
    alerts: ['GateSessionHeldTooLong', 'GatePaymentHeldTooLong'],
    async cause(scene) {
      const shop = await openShop(scene, {});
      await scene.minutes(1);
      scene.begins();
      await shop.play('processing');
      const terms = { amount: '14.50', currency: 'EUR', asset: 'USDC', network: 'base', country_code: 'DE' };
      const quote = await shop.call('POST', '/v1/quotes', {
        ...terms,
        payment_method: 'bank_transfer',
        side: 'on_ramp',
      });
      const { id } = await shop.call('POST', '/v1/rails/pay_ins', {
        quote_id: quote['id'],
        wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
      });
      await shop.call('POST', `/v1/test_helpers/rails/${String(id)}/simulate`, { scenario: 'processing' });
      await shop.advance(DAY + HOUR);
      await scene.raised('session_held_too_long', 'payment_held_too_long');
    },
  },
  {
    title: 'most payments are declined',
    alerts: ['GatePaymentsFailing'],
    async cause(scene) {
      const shop = await openShop(scene, {});
      await shop.play('succeed');
      await scene.minutes(2);
      scene.begins();
      for (let minute = 0; minute < 62; minute += 1) {
        await shop.play('decline');
        await scene.minutes(1);
      }
    },
  },
];
