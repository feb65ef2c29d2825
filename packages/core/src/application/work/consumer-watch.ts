import { MODES, type Mode } from '../../domain/mode.js';
import { consumerLane, endDelivery, type ConsumerLane } from '../../domain/webhook/delivery.js';
import type { ConsumerName } from '../../ports/store.js';
import type { Engine } from '../engine.js';

/**
 * Looks after what is owed to consumers that this process has not: what is for a removed one is ended, and one that no process has is
 * reported to operators, once in a while as long as it lasts.
 */
export class ConsumerWatch {
  private readonly alarmedAt = new Map<ConsumerLane, number>();

  constructor(private readonly engine: Engine) {}

  async run(): Promise<void> {
    const { consumers } = await this.engine.consumers.refresh();
    for (const consumer of consumers) {
      if (consumer.isRemoved) await endRemoved(this.engine, consumer);
      else if (!this.engine.consumers.isOwn(consumer)) await this.look(consumer);
    }
  }

  private async look(consumer: ConsumerName): Promise<void> {
    const { policy, clock, telemetry } = this.engine;
    const lane = consumerLane(consumer);
    const alarmedAt = this.alarmedAt.get(lane) ?? -Infinity;
    const late = Math.max(...(await Promise.all(MODES.map((mode) => this.lateness(mode, lane)))));
    if (late < policy.consumerMissingAfter || clock.wall() - alarmedAt < policy.consumerMissingEvery) return;
    this.alarmedAt.set(lane, clock.wall());
    telemetry.alarm('consumer_missing', { consumer: consumer.name, event_type: consumer.type, overdue_ms: late });
  }

  /** A process that has the function takes what is due at once, so what stays due says that there is none. */
  private async lateness(mode: Mode, lane: ConsumerLane): Promise<number> {
    const next = await this.engine.store.nextDue(mode, [lane]);
    return next === null ? 0 : this.engine.clock.now(mode) - next.dueAt;
  }
}

/** Ends what is due for a consumer that was removed; a retry is ended when it comes due, a lease when it lapses. */
export async function endRemoved(engine: Engine, consumer: ConsumerName): Promise<void> {
  const { store, clock, policy, ids, telemetry } = engine;
  for (;;) {
    const claimed = await store.claim('delivery', {
      now: { test: clock.now('test'), live: clock.now('live') },
      lane: consumerLane(consumer),
      limit: policy.claimBatch,
      perEndpoint: policy.claimBatch,
      leaseMs: policy.deliveryLease,
      token: ids.uuid(),
    });
    for (const { delivery } of claimed) {
      const next = endDelivery(delivery, clock.now(delivery.mode));
      await store.recordDelivery({ leaseToken: delivery.leaseToken ?? '', next, attempt: null });
      telemetry.note('consumer_removed', {
        delivery_id: delivery.id,
        event_id: delivery.eventId,
        consumer: consumer.name,
      });
    }
    if (claimed.length < policy.claimBatch) return;
  }
}
