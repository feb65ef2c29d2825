import { compare } from '../money.js';
import type { PaymentMethod } from '../intent/intent.js';
import {
  allowsAsset,
  allowsCountry,
  allowsFlow,
  allowsMethod,
  boundsOf,
  narrowed,
  type Restrictions,
} from '../partner/restrictions.js';
import { FLOWS, type Flow } from '../session/terms.js';
import type { Capabilities, ServedAsset, ServedCountry, ServedCurrency, ServedLimit } from './capabilities.js';

/**
 * Narrows a provider's capabilities to a partner's restrictions; never lists more than the provider serves. A flow is dropped when one of
 * the lists it depends on becomes empty.
 */
export function restrictCapabilities(
  served: Capabilities,
  restrictions: Restrictions | null | undefined,
): Capabilities {
  if (restrictions === null || restrictions === undefined) return served;
  const limits = served.limits.flatMap((limit) => restrictLimit(restrictions, limit));
  const allowed: Allowed = {
    limits,
    methods: Object.fromEntries(
      FLOWS.map(
        (flow) =>
          [flow, (served.paymentMethods[flow] ?? []).filter(methodOf(restrictions, served, limits, flow))] as const,
      ),
    ),
    assets: served.assets.flatMap((asset) => restrictAsset(restrictions, asset)),
    countries: served.countries.filter(({ code }) => allowsCountry(restrictions, code)),
    currencies: served.currencies.flatMap((currency) => restrictCurrency(served, limits, currency)),
    isAllowed: (asset, network) => allowsAsset(restrictions, asset, network),
    isFlow: (flow) => allowsFlow(restrictions, flow),
  };
  return withinFlows(
    served,
    allowed,
    served.flows.filter((flow) => allowsFlow(restrictions, flow) && isUsable(served, allowed, flow)),
  );
}

interface Allowed {
  readonly limits: readonly ServedLimit[];
  readonly methods: Capabilities['paymentMethods'];
  readonly assets: readonly ServedAsset[];
  readonly countries: readonly ServedCountry[];
  readonly currencies: readonly ServedCurrency[];
  /** Whether the restrictions allow the asset on the network. */
  readonly isAllowed: (asset: string, network: string) => boolean;
  readonly isFlow: (flow: Flow) => boolean;
}

function restrictLimit(restrictions: Restrictions, limit: ServedLimit): readonly ServedLimit[] {
  if (!allowsMethod(restrictions, limit.paymentMethod)) return [];
  const row = narrowed(limit, boundsOf(restrictions, limit));
  return compare(row.minAmount, row.maxAmount) > 0 ? [] : [row];
}

/** A method whose limits are all excluded accepts no amount, so it is dropped. */
function methodOf(restrictions: Restrictions, served: Capabilities, limits: readonly ServedLimit[], flow: Flow) {
  return (method: PaymentMethod): boolean => {
    const isLimit = (limit: ServedLimit) => limit.flow === flow && limit.paymentMethod === method;
    return allowsMethod(restrictions, method) && (limits.some(isLimit) || !served.limits.some(isLimit));
  };
}

function restrictAsset(restrictions: Restrictions, asset: ServedAsset): readonly ServedAsset[] {
  if (restrictions.assets === undefined) return [asset];
  const networks = asset.networks.filter((network) => allowsAsset(restrictions, asset.code, network));
  // A token that can be used nowhere now has no networks, and is listed with what is unavailable.
  return networks.length === 0 && asset.networks.length > 0 ? [] : [{ ...asset, networks }];
}

function restrictCurrency(
  served: Capabilities,
  limits: readonly ServedLimit[],
  currency: ServedCurrency,
): readonly ServedCurrency[] {
  const flows = currency.flows.filter((flow) => {
    const isLimit = (limit: ServedLimit) => limit.flow === flow && limit.currency === currency.code;
    return limits.some(isLimit) || !served.limits.some(isLimit);
  });
  return flows.length === 0 ? [] : [{ ...currency, flows }];
}

/** Whether each list that the provider fills for the flow still has an entry. */
function isUsable(served: Capabilities, { methods, assets, countries, currencies }: Allowed, flow: Flow): boolean {
  const stillHas = <Row>(before: readonly Row[], after: readonly Row[]) => before.length === 0 || after.length > 0;
  return (
    stillHas(served.paymentMethods[flow] ?? [], methods[flow] ?? []) &&
    stillHas(inFlow(served.assets, flow), inFlow(assets, flow)) &&
    (flow !== 'swap' || !canSwap(inFlow(served.assets, flow)) || canSwap(inFlow(assets, flow))) &&
    stillHas(inFlow(served.countries, flow), inFlow(countries, flow)) &&
    stillHas(inFlow(served.currencies, flow), inFlow(currencies, flow))
  );
}

/** A swap needs two different tokens, or one on two networks. */
function canSwap(assets: readonly ServedAsset[]): boolean {
  return assets.reduce((sum, { networks }) => sum + networks.length, 0) > 1;
}

function inFlow<Row extends { readonly flows: readonly Flow[] }>(rows: readonly Row[], flow: Flow): readonly Row[] {
  return rows.filter(({ flows }) => flows.includes(flow));
}

function withinFlows(served: Capabilities, allowed: Allowed, flows: readonly Flow[]): Capabilities {
  const methods = Object.fromEntries(
    flows.flatMap((flow) => {
      const ofFlow = allowed.methods[flow] ?? [];
      return ofFlow.length === 0 ? [] : [[flow, ofFlow] as const];
    }),
  );
  const isPayable = (method: PaymentMethod) => Object.values(methods).some((ofFlow) => ofFlow.includes(method));
  const unavailable = (served.unavailable ?? []).filter(
    ({ flow, asset, network }) => allowed.isAllowed(asset, network) && allowed.isFlow(flow),
  );
  const isListed = ({ code, flows: of }: ServedAsset) =>
    of.length > 0 || unavailable.some(({ asset }) => asset === code);
  const assets = allowed.assets
    .map((row) => ({ ...row, flows: row.flows.filter((flow) => flows.includes(flow)) }))
    .filter(isListed);
  const networks = served.networks.filter(({ code }) => {
    const isOn = ({ networks: on }: ServedAsset) => on.includes(code);
    return assets.some(isOn) || !served.assets.some(isOn);
  });
  return {
    ...served,
    flows,
    paymentMethods: methods,
    countries: keptRows(allowed.countries, flows).map((country) => ({
      ...country,
      paymentMethods: country.paymentMethods.filter(isPayable),
    })),
    currencies: keptRows(allowed.currencies, flows),
    assets,
    networks,
    limits: allowed.limits.filter(
      ({ flow, paymentMethod }) => flows.includes(flow) && (methods[flow]?.includes(paymentMethod) ?? false),
    ),
    ...(served.refundable === undefined
      ? {}
      : { refundable: served.refundable.filter((method) => methods.on_ramp?.includes(method) ?? false) }),
    ...(served.savable === undefined
      ? {}
      : { savable: served.savable.filter((method) => methods.on_ramp?.includes(method) ?? false) }),
    ...(served.unavailable === undefined
      ? {}
      : { unavailable: unavailable.filter(({ flow }) => flows.includes(flow) || !served.flows.includes(flow)) }),
    ...(served.components === undefined
      ? {}
      : { components: served.components.filter(({ paymentMethod }) => isPayable(paymentMethod)) }),
    ...(served.fees === undefined
      ? {}
      : {
          fees: served.fees.filter(
            ({ paymentMethod, network }) =>
              isPayable(paymentMethod) && (network === null || networks.some(({ code }) => code === network)),
          ),
        }),
  };
}

/** Rows with at least one of the flows, each reduced to those flows. */
function keptRows<Row extends { readonly flows: readonly Flow[] }>(
  rows: readonly Row[],
  flows: readonly Flow[],
): readonly Row[] {
  return rows
    .map((row) => ({ ...row, flows: row.flows.filter((flow) => flows.includes(flow)) }))
    .filter((row) => row.flows.length > 0);
}
