import type { ServedAsset, ServedCurrency } from '../../domain/capabilities/capabilities.js';
import { mergeCapabilities } from '../../domain/capabilities/merge-capabilities.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import type { Session } from '../../domain/session/session.js';
import type { Flow } from '../../domain/session/terms.js';
import type { Engine } from '../engine.js';

/** What a checkout may offer its buyer. Currencies and assets name those flows alone that are offered too. */
export interface Offer {
  readonly flows: readonly Flow[];
  readonly paymentMethods: readonly PaymentMethod[];
  readonly currencies: readonly ServedCurrency[];
  readonly assets: readonly ServedAsset[];
}

/** What is offered, by the flows that are: a session locked to one shows only what belongs to that one. */
export async function offerOf(engine: Engine, scope: Scope, partner: Partner, session: Session | null): Promise<Offer> {
  const served = mergeCapabilities(await Promise.all(engine.providers.map((provider) => provider.capabilities(scope))));
  const locked = session?.terms.flow ?? null;
  const flows = served.flows.filter(
    (flow) => (flow !== 'swap' || isEntitled(partner, 'swap')) && (locked === null || flow === locked),
  );
  const offered = <Row extends { readonly flows: readonly Flow[] }>(rows: readonly Row[]): readonly Row[] =>
    rows
      .map((row) => ({ ...row, flows: row.flows.filter((flow) => flows.includes(flow)) }))
      .filter((row) => row.flows.length > 0);
  return {
    flows,
    paymentMethods: [...new Set(flows.flatMap((flow) => served.paymentMethods[flow] ?? []))],
    currencies: offered(served.currencies),
    assets: offered(served.assets),
  };
}
