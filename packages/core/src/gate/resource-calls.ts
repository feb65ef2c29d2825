import { err, ok, type Result } from 'neverthrow';
import { readBranding, updateBranding } from '../application/branding.js';
import { readCapabilities } from '../application/capabilities/read-capabilities.js';
import type { Engine } from '../application/engine.js';
import { listEvents, retrieveEvent } from '../application/events.js';
import { createQuote, previewQuotes, retrieveQuote } from '../application/quotes/create-quote.js';
import { brandingResource, type GateBranding } from '../domain/branding/branding.js';
import type { Capabilities } from '../domain/capabilities/capabilities.js';
import {
  assetRows,
  countryRows,
  currencyRows,
  flowRows,
  type GateAsset,
  type GateCountry,
  type GateCurrency,
  type GateFlow,
  type GateLimit,
  type GateNetwork,
  type GatePaymentMethod,
  type GateTtl,
  limitRows,
  networkRows,
  paymentMethodRows,
  ttlRows,
} from '../domain/capabilities/capability-rows.js';
import type { Scope } from '../domain/mode.js';
import type { Partner } from '../domain/partner/partner.js';
import type { Policy } from '../domain/policy.js';
import { type GateQuotePreview, quotePreviewResource } from '../domain/quote/offers.js';
import { executableQuoteResource, type GateExecutableQuote } from '../domain/quote/quote.js';
import type { EventType } from '../domain/webhook/event-types.js';
import { eventResource, type GateEventEnvelope } from '../domain/webhook/event.js';
import { UPDATE_BRANDING_BODY, type UpdateBranding } from '../http/branding/schemas.js';
import { EVENTS_PATH } from '../http/events/endpoints.js';
import { LIST_EVENTS_QUERY } from '../http/events/schemas.js';
import { createdQuote } from '../http/quotes/endpoints.js';
import {
  CREATE_QUOTE_BODY,
  type CreateQuote,
  PREVIEW_QUOTES_BODY,
  type PreviewQuotes,
} from '../http/quotes/schemas.js';
import { idOf, type List, listEnvelope } from '../http/schema/lists.js';
import { parsed, readGiven, readGivenQuery } from './assemble.js';
import { partnerOf } from './in-process.js';
import { callWithBody, type KeyedCall } from './keyed-call.js';
import { onRails } from './rails.js';
import type { GateRefusal } from './resources.js';

/** How a partner's checkout looks, for hosts that call in process; each mode has its own. */
export interface BrandingResource {
  retrieve(caller: Scope): Promise<Result<GateBranding, GateRefusal>>;
  /** An absent field stays, null clears. */
  update(caller: Scope, changes: UpdateBranding, options?: KeyedCall): Promise<Result<GateBranding, GateRefusal>>;
}

export function inProcessBranding(engine: Engine, ready: () => Promise<void>): BrandingResource {
  return {
    retrieve: async (caller) => ok(parsed(brandingResource(await readBranding(engine, caller)))),
    update: async (caller, changes, options) => {
      await ready();
      const body = { schema: UPDATE_BRANDING_BODY, given: changes };
      const call = { caller, options, path: 'branding.update', body, render: brandingResource };
      return callWithBody(engine, call, (value, use) => updateBranding(engine, caller, value, use));
    },
  };
}

type ListCall<Row> = (caller: Scope) => Promise<readonly Row[]>;

/** What is served, for hosts that ask in process: the rows of `GET /v1/capabilities/…`. */
export interface CapabilityLists {
  readonly countries: ListCall<GateCountry>;
  readonly currencies: ListCall<GateCurrency>;
  readonly assets: ListCall<GateAsset>;
  readonly networks: ListCall<GateNetwork>;
  readonly paymentMethods: ListCall<GatePaymentMethod>;
  readonly flows: ListCall<GateFlow>;
  readonly limits: ListCall<GateLimit>;
  readonly ttls: ListCall<GateTtl>;
}

export function inProcessCapabilities(engine: Engine): CapabilityLists {
  const list =
    <Row>(rowsOf: (served: Capabilities, partner: Partner, policy: Policy) => readonly Row[]): ListCall<Row> =>
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

/** Names and rules of the query of `GET /v1/events`. */
interface ListEvents {
  readonly type?: EventType;
  readonly session_id?: string;
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
}

/** What has happened, for hosts that call in process: every event, whether it was delivered or not. */
export interface Events {
  /** A page, newest first. */
  list(caller: Scope, query?: ListEvents): Promise<Result<List<GateEventEnvelope>, GateRefusal>>;
  retrieve(caller: Scope, id: string): Promise<Result<GateEventEnvelope, GateRefusal>>;
}

export function inProcessEvents(engine: Engine): Events {
  return {
    list: async (caller, given = {}) => {
      const query = readGivenQuery(engine, LIST_EVENTS_QUERY, { ...given });
      if (query.isErr()) return err(query.error);
      const page = await listEvents(engine, caller, query.value.filter, query.value.page);
      return page.map((found) => parsed(listEnvelope(found, EVENTS_PATH, eventResource)));
    },
    retrieve: async (caller, id) =>
      (await retrieveEvent(engine, caller, idOf(id))).map((event) => parsed(eventResource(event))),
  };
}

type Answer<Value> = Promise<Result<Value, GateRefusal>>;

/** Prices for hosts that call in process: the same rules, keys and shapes as over HTTP. */
export interface Quotes {
  /** Of all payment methods, for display only. */
  preview(caller: Scope, body: PreviewQuotes): Answer<GateQuotePreview>;
  /** Of one payment method, to be used once. Needs the `rails` entitlement, as `retrieve` does. */
  create(caller: Scope, body: CreateQuote, options?: KeyedCall): Answer<GateExecutableQuote>;
  retrieve(caller: Scope, id: string): Answer<GateExecutableQuote>;
}

export function inProcessQuotes(engine: Engine, ready: () => Promise<void>): Quotes {
  return {
    preview: async (scope, body) => {
      const given = readGiven(engine, scope, PREVIEW_QUOTES_BODY, body);
      if (given.isErr()) return err(given.error);
      const preview = await previewQuotes(
        engine,
        { partner: await partnerOf(engine, scope), scope },
        given.value.value,
      );
      return preview.map((found) => parsed(quotePreviewResource(found)));
    },
    create: (scope, body, options) =>
      onRails(engine, scope, async (partner) => {
        await ready();
        const call = {
          caller: scope,
          options,
          path: 'quotes.create',
          body: { schema: CREATE_QUOTE_BODY, given: body },
          render: createdQuote,
        };
        return callWithBody(engine, call, (value, use) => createQuote(engine, { partner, scope }, value, use));
      }),
    retrieve: (scope, id) =>
      onRails(engine, scope, async () => {
        const quote = await retrieveQuote(engine, scope, idOf(id));
        return quote.map((found) => parsed(executableQuoteResource(found, engine.clock.now(scope.mode))));
      }),
  };
}
