import type { Capabilities, ServedAsset, ServedCurrency } from '../../domain/capabilities/capabilities.js';
import { mergeCapabilities } from '../../domain/capabilities/merge-capabilities.js';
import { whyUnserved, type Unserved, type WantedTerms } from '../../domain/capabilities/serves-terms.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import type { Session } from '../../domain/session/session.js';
import { FLOWS, type Flow } from '../../domain/session/terms.js';
import { askOfferings, type MarketCaller } from '../capabilities/read-capabilities.js';
import type { Engine } from '../engine.js';

/** What a checkout may offer its buyer. Currencies and assets name those flows alone that are offered too. */
export interface Offer {
  readonly flows: readonly Flow[];
  readonly paymentMethods: readonly PaymentMethod[];
  readonly currencies: readonly ServedCurrency[];
  readonly assets: readonly ServedAsset[];
}

/** What the providers would do for a checkout. */
export interface Survey {
  readonly offer: Offer;
  /** Why this buyer cannot use the checkout; null when some flow is open. */
  readonly closedBy: ClosedBy | null;
}

/** `maintenance` where a provider that might serve the checkout is down. */
export type ClosedBy =
  | { readonly reason: 'flow_not_enabled' | 'maintenance'; readonly unserved: null }
  | { readonly reason: 'corridor_unsupported' | 'region_unsupported'; readonly unserved: Unserved };

/**
 * What is offered to the buyer of a session: flows that it allows, and of those the ones that a provider serves on its terms. Where none
 * serves any, the flows stay as they are listed and `closedBy` says why.
 */
export async function surveyOffer(
  engine: Engine,
  caller: MarketCaller,
  session: Session | null,
  countryCode: string | null = null,
): Promise<Survey> {
  const asked = await askOfferings(engine, caller);
  const all = asked.flatMap((one) => (one.kind === 'answered' ? [one.answer.served] : []));
  const served = mergeCapabilities(all);
  const allowed = allowedFlows(caller.partner, session);
  // Without a session the buyer picks the terms.
  const wanted: WantedTerms = { ...(session?.terms ?? OPEN_TERMS), countryCode };
  const whyNot = (flows: readonly Flow[]) => whyUnserved(all, flows, wanted);
  const listed = served.flows.filter((flow) => allowed.includes(flow));
  const open = listed.filter((flow) => whyNot([flow]) === null);
  const offer = offered(served, open.length > 0 ? open : listed);
  if (allowed.length === 0) return { offer, closedBy: { reason: 'flow_not_enabled', unserved: null } };
  if (open.length > 0) return { offer, closedBy: null };
  const isSomeoneAway = asked.length === 0 || asked.some(({ kind }) => kind === 'failed');
  const unserved = whyNot(allowed);
  if (isSomeoneAway || unserved === null) return { offer, closedBy: { reason: 'maintenance', unserved: null } };
  const reason = unserved.term === 'country_code' ? 'region_unsupported' : 'corridor_unsupported';
  return { offer, closedBy: { reason, unserved } };
}

const OPEN_TERMS = { amount: null, currency: null, targetToken: null, targetNetwork: null } as const;

function allowedFlows(partner: Partner, session: Session | null): readonly Flow[] {
  const locked = session?.terms.flow ?? null;
  return FLOWS.filter(
    (flow) => (flow !== 'swap' || isEntitled(partner, 'swap')) && (locked === null || flow === locked),
  );
}

/** Currencies and assets with those of the flows alone that are offered. */
function offered(served: Capabilities, flows: readonly Flow[]): Offer {
  const within = <Row extends { readonly flows: readonly Flow[] }>(rows: readonly Row[]): readonly Row[] =>
    rows
      .map((row) => ({ ...row, flows: row.flows.filter((flow) => flows.includes(flow)) }))
      .filter((row) => row.flows.length > 0);
  return {
    flows,
    paymentMethods: [...new Set(flows.flatMap((flow) => served.paymentMethods[flow] ?? []))],
    currencies: within(served.currencies),
    assets: within(served.assets),
  };
}
