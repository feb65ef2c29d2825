import type { Capabilities, ServedAsset } from '../capabilities/capabilities.js';
import type { PaymentMethod } from '../intent/intent.js';
import { whyRestricted, type Restrictions } from '../partner/restrictions.js';
import type { MarketTerms } from './resolve-ask.js';

/**
 * Names the tokens and networks that are left open, for a partner that may not use all of them: the provider's own default may be one of
 * those. `served` has the restrictions applied.
 */
export function fillOpenAssets<Terms extends MarketTerms>(
  terms: Terms,
  { assets }: Capabilities,
  restrictions: Restrictions | null | undefined,
): Terms {
  if (restrictions?.assets === undefined) return terms;
  const { flow } = terms;
  const usable = assets.filter(({ flows }) => flows.includes(flow));
  const asked = { token: terms.targetToken, network: terms.targetNetwork };
  const target = flow === 'off_ramp' ? asked : pick(usable, asked, terms.sourceToken);
  const sent = { token: terms.sourceToken, network: terms.sourceNetwork };
  const source = flow === 'on_ramp' ? sent : pick(usable, sent, target.token);
  return {
    ...terms,
    sourceToken: source.token,
    sourceNetwork: source.network,
    targetToken: target.token,
    targetNetwork: target.network,
  };
}

/** Names the payment method, if it is left open: the first one served that may take this payment. */
export function fillOpenMethod<
  Terms extends MarketTerms & {
    readonly amount: string;
    readonly paymentMethod: PaymentMethod | null;
    readonly countryCode: string | null;
  },
>(terms: Terms, { paymentMethods }: Capabilities, restrictions: Restrictions | null | undefined): Terms {
  if (terms.paymentMethod !== null || (!restrictions?.paymentMethods && !restrictions?.limits)) return terms;
  const served = paymentMethods[terms.flow] ?? [];
  const fits = served.find((paymentMethod) => whyRestricted(restrictions, { ...terms, paymentMethod }) === null);
  return { ...terms, paymentMethod: fits ?? served[0] ?? null };
}

interface OpenAsset {
  readonly token: string | null;
  readonly network: string | null;
}

/** What is named stays as it is. A token that is not the other side's comes first: a swap exchanges two. */
function pick(usable: readonly ServedAsset[], asked: OpenAsset, other: string | null): OpenAsset {
  const fitting = usable.flatMap(({ code, networks }) =>
    networks
      .map((network) => ({ token: code, network }))
      .filter(({ token, network }) => isOpenOr(asked.token, token) && isOpenOr(asked.network, network)),
  );
  const picked = fitting.find(({ token }) => token.toUpperCase() !== other?.toUpperCase()) ?? fitting[0];
  return { token: asked.token ?? picked?.token ?? null, network: asked.network ?? picked?.network ?? null };
}

function isOpenOr(named: string | null, served: string): boolean {
  return named === null || named.toUpperCase() === served.toUpperCase();
}
