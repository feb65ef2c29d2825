import { readCapabilities } from '../application/capabilities/read-capabilities.js';
import type { Engine } from '../application/engine.js';
import type { Capabilities } from '../domain/capabilities/capabilities.js';
import {
  assetRows,
  countryRows,
  currencyRows,
  flowRows,
  limitRows,
  networkRows,
  paymentMethodRows,
  ttlRows,
  type GateAsset,
  type GateCountry,
  type GateCurrency,
  type GateFlow,
  type GateLimit,
  type GateNetwork,
  type GatePaymentMethod,
  type GateTtl,
} from '../domain/capabilities/capability-rows.js';
import type { Scope } from '../domain/mode.js';
import type { Partner } from '../domain/partner/partner.js';
import type { Policy } from '../domain/policy.js';
import { partnerOf } from './partner-of.js';

type List<Row> = (caller: Scope) => Promise<readonly Row[]>;

/** What is served, for hosts that ask in process: the rows of `GET /v1/capabilities/…`. */
export interface CapabilityLists {
  readonly countries: List<GateCountry>;
  readonly currencies: List<GateCurrency>;
  readonly assets: List<GateAsset>;
  readonly networks: List<GateNetwork>;
  readonly paymentMethods: List<GatePaymentMethod>;
  readonly flows: List<GateFlow>;
  readonly limits: List<GateLimit>;
  readonly ttls: List<GateTtl>;
}

export function inProcessCapabilities(engine: Engine): CapabilityLists {
  const list =
    <Row>(rowsOf: (served: Capabilities, partner: Partner, policy: Policy) => readonly Row[]): List<Row> =>
    async (scope) => {
      const partner = await partnerOf(engine, scope);
      return rowsOf(await readCapabilities(engine, { partner, scope }), partner, engine.policy);
    };
  return {
    countries: list(countryRows),
    currencies: list(currencyRows),
    assets: list(assetRows),
    networks: list(networkRows),
    paymentMethods: list(paymentMethodRows),
    flows: list(flowRows),
    limits: list(limitRows),
    ttls: list((served, _, policy) => ttlRows(served, policy)),
  };
}
