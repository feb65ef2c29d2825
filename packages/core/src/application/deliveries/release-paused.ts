import { scopeOf } from '../../domain/mode.js';
import { pausedSince } from '../../domain/partner/partner.js';
import {
  type Delivery,
  DELIVERY_LEASE,
  holdDelivery,
  PAUSED_LANE,
  releaseDelivery,
} from '../../domain/webhook/delivery.js';
import type { Engine } from '../engine.js';
import { workTime } from '../work/next-wake-up.js';

/** Deliveries per claim. */
const BATCH = 64;

/**
 * Returns the held deliveries of resumed endpoints to their usual lanes, where the limits per endpoint apply. For an endpoint that is still
 * paused it usually reads one row, however many are waiting.
 */
export async function releasePaused(engine: Engine): Promise<void> {
  const { store, partners, clock } = engine;
  const token = engine.ids.uuid();
  const paused = new Map<string, boolean>();
  const isPaused = async (delivery: Delivery): Promise<boolean> => {
    const name = `${delivery.partnerId}/${delivery.mode}`;
    const known = paused.get(name);
    if (known !== undefined) return known;
    const answer = pausedSince(await partners.findEndpoint(scopeOf(delivery))) !== null;
    paused.set(name, answer);
    return answer;
  };
  const record = (next: Delivery): Promise<unknown> => store.recordDelivery({ leaseToken: token, next, attempt: null });

  // Deliveries that stay keep their lease until the end, so that the next claim skips their endpoint.
  const staying: Delivery[] = [];
  let released = 0;
  let share = 1;
  try {
    for (;;) {
      const claimed = await store.claim('delivery', {
        ...workTime(clock),
        lane: PAUSED_LANE,
        limit: BATCH,
        perEndpoint: share,
        leaseMs: DELIVERY_LEASE,
        token,
      });
      const going: Delivery[] = [];
      for (const { delivery } of claimed) ((await isPaused(delivery)) ? staying : going).push(delivery);
      await Promise.all(going.map((delivery) => record(releaseDelivery(delivery))));
      released += going.length;
      if (going.length === 0 && claimed.length < BATCH) break;
      if (going.length > 0) share = Math.min(share * 4, BATCH);
    }
  } finally {
    await Promise.all(staying.map((delivery) => record(holdDelivery(delivery))));
  }
  if (released > 0) engine.scheduler.wake([{ delayMs: 0 }]);
}
