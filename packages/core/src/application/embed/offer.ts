import type { PaymentMethod } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import type { Session } from '../../domain/session/session.js';
import type { Flow } from '../../domain/session/terms.js';
import type { Engine } from '../engine.js';

/** What a checkout may offer its buyer. */
export interface Offer {
  readonly flows: readonly Flow[];
  readonly paymentMethods: readonly PaymentMethod[];
}

/** What is offered, by the flows that are: a session locked to one shows only that one's methods. */
export async function offerOf(engine: Engine, scope: Scope, partner: Partner, session: Session | null): Promise<Offer> {
  const flows = new Set<Flow>();
  const paymentMethods = new Set<PaymentMethod>();
  const locked = session?.terms.flow ?? null;
  for (const provider of engine.providers) {
    const capabilities = await provider.capabilities(scope);
    for (const flow of capabilities.flows) {
      if (flow === 'swap' && !isEntitled(partner, 'swap')) continue;
      if (locked !== null && flow !== locked) continue;
      flows.add(flow);
      for (const method of capabilities.paymentMethods[flow] ?? []) paymentMethods.add(method);
    }
  }
  return { flows: [...flows], paymentMethods: [...paymentMethods] };
}
