import { ok } from 'neverthrow';
import { retrieveCapabilities } from '../../application/capabilities/retrieve-capabilities.js';
import type { Capabilities } from '../../domain/capabilities/capabilities.js';
import {
  assetRows,
  countryRows,
  currencyRows,
  flowRows,
  limitRows,
  networkRows,
  paymentMethodRows,
  ttlRows,
} from '../../domain/capabilities/capability-rows.js';
import { type JsonMembers, toJsonText } from '../../domain/json.js';
import type { Partner } from '../../domain/partner/partner.js';
import type { Policy } from '../../domain/policy.js';
import { endpoint } from '../endpoint.js';
import { SECRET_READ } from '../presets.js';
import { listEnvelope, listOf } from '../schema/lists.js';
import type { WireType } from '../schema/members.js';
import { ASSET, COUNTRY, CURRENCY, FLOW, LIMIT, NETWORK, PAYMENT_METHOD, TTL } from './schemas.js';

/** A discovery list: all rows on one page, which clients may cache for five minutes. */
function capabilityList<Row extends JsonMembers>(
  list: string,
  name: string,
  row: WireType<Row>,
  rowsOf: (served: Capabilities, partner: Partner, policy: Policy) => readonly Row[],
) {
  const path = `/v1/capabilities/${list}`;
  return endpoint({
    ...SECRET_READ,
    scope: null,
    name,
    path,
    summary: `List the supported ${list.replace('_', ' ')}`,
    caching: { maxAgeSeconds: 300 },
    reply: listOf(row, path),
    refusals: [],
    run: async ({ engine, caller }) => {
      const items = rowsOf(await retrieveCapabilities(engine, caller), caller.partner, engine.policy);
      return ok(listEnvelope({ items, hasMore: false }, path, (item) => toJsonText(item)));
    },
  });
}

export const CAPABILITY_ENDPOINTS = {
  countries: capabilityList('countries', 'listCountries', COUNTRY, countryRows),
  currencies: capabilityList('currencies', 'listCurrencies', CURRENCY, currencyRows),
  assets: capabilityList('assets', 'listAssets', ASSET, assetRows),
  networks: capabilityList('networks', 'listNetworks', NETWORK, networkRows),
  paymentMethods: capabilityList('payment_methods', 'listPaymentMethods', PAYMENT_METHOD, paymentMethodRows),
  flows: capabilityList('flows', 'listFlows', FLOW, flowRows),
  limits: capabilityList('limits', 'listLimits', LIMIT, limitRows),
  ttls: capabilityList('ttls', 'listTtls', TTL, (served, _, policy) => ttlRows(served, policy)),
};
