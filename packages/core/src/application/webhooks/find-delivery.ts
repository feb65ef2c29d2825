import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { DeliveryRecord } from '../../ports/rows.js';
import type { Engine } from '../engine.js';
import { isKept } from './kept-deliveries.js';

/** A delivery to the partner's endpoint. What is for a consumer of the host's own is no partner's to see. */
export async function findDelivery(
  engine: Engine,
  scope: Scope,
  id: string,
): Promise<Result<DeliveryRecord, Refusal<'delivery_not_found'>>> {
  const record = await engine.store.find('delivery', scope, id);
  if (record?.delivery.target !== 'webhook') return deliveryNotFound();
  return isKept(engine, record.delivery, engine.clock.now(scope.mode)) ? ok(record) : deliveryNotFound();
}

export function deliveryNotFound(): ReturnType<typeof refuse<'delivery_not_found'>> {
  return refuse('delivery_not_found', 'There is no such delivery for this key.');
}
