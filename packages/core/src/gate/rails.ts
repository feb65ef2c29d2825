import { err, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { cancelRailPayment } from '../application/rails/cancel-rail-payment.js';
import { createRailPayment, type CreateRailPayment } from '../application/rails/create-rail-payment.js';
import { listRailPayments, retrieveRailPayment } from '../application/rails/read-rail-payments.js';
import type { JsonText } from '../domain/json.js';
import type { Scope } from '../domain/mode.js';
import type { Partner } from '../domain/partner/partner.js';
import type { RailKind, RailPayment } from '../domain/rails/rail-payment.js';
import { type GatePayIn, type GatePayOut, payInResource, payOutResource } from '../domain/rails/rail-resource.js';
import { entitlementRefusal } from '../http/pipeline/authenticate.js';
import { RAILS_ENTITLEMENT } from '../http/presets.js';
import {
  CREATE_PAY_IN_BODY,
  CREATE_PAY_OUT_BODY,
  type CreateGatePayIn,
  type CreateGatePayOut,
  LIST_RAILS_QUERY,
} from '../http/rails/schemas.js';
import { idOf, type List, listEnvelope } from '../http/schema/lists.js';
import type { JsonBody } from '../http/schema/request.js';
import { parsed, readGivenQuery } from './assemble.js';
import { partnerOf } from './in-process.js';
import { callWithBody, type KeyedCall } from './keyed-call.js';
import type { GateRefusal } from './resources.js';

/** What only a partner with the `rails` entitlement may ask; others are refused as over HTTP, whatever they ask. */
export async function onRails<Value>(
  engine: Engine,
  scope: Scope,
  call: (partner: Partner) => Promise<Result<Value, GateRefusal>>,
): Promise<Result<Value, GateRefusal>> {
  const partner = await partnerOf(engine, scope);
  const unentitled = entitlementRefusal({ requires: RAILS_ENTITLEMENT }, partner);
  return unentitled === null ? call(partner) : err(unentitled);
}

type Answer<Value> = Promise<Result<Value, GateRefusal>>;

/** Names and rules of the query of `GET /v1/rails/pay_ins`. */
interface ListRailPayments {
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
}

/** One of the two nouns. All of it needs the `rails` entitlement. */
export interface RailPayments<Body, Resource> {
  /** Over an executable quote, which is used once. Without a key a repeat is another payment, refused for its used quote. */
  create(caller: Scope, body: Body, options?: KeyedCall): Answer<Resource>;
  retrieve(caller: Scope, id: string): Answer<Resource>;
  /** A page, newest first. */
  list(caller: Scope, query?: ListRailPayments): Answer<List<Resource>>;
  /** While it still waits for its money. */
  cancel(caller: Scope, id: string): Answer<Resource>;
}

/** Payments without a session for hosts that call in process: the same rules, keys and shapes as over HTTP. */
export interface Rails {
  readonly payIns: RailPayments<CreateGatePayIn, GatePayIn>;
  readonly payOuts: RailPayments<CreateGatePayOut, GatePayOut>;
}

export function inProcessRails(engine: Engine, ready: () => Promise<void>): Rails {
  return {
    payIns: payments(engine, ready, {
      kind: 'pay_in',
      path: '/v1/rails/pay_ins',
      schema: CREATE_PAY_IN_BODY,
      render: payInResource,
    }),
    payOuts: payments(engine, ready, {
      kind: 'pay_out',
      path: '/v1/rails/pay_outs',
      schema: CREATE_PAY_OUT_BODY,
      render: payOutResource,
    }),
  };
}

interface RailCalls<Resource> {
  readonly kind: RailKind;
  readonly path: string;
  readonly schema: JsonBody<CreateRailPayment>;
  readonly render: (payment: RailPayment) => JsonText<Resource>;
}

function payments<Body, Resource>(
  engine: Engine,
  ready: () => Promise<void>,
  { kind, path, schema, render }: RailCalls<Resource>,
): RailPayments<Body, Resource> {
  const shown = (found: Result<RailPayment, GateRefusal>) => found.map((payment) => parsed(render(payment)));
  return {
    create: (scope, given, options) =>
      onRails(engine, scope, async (partner) => {
        await ready();
        const call = { caller: scope, options, path: `${kind}.create`, body: { schema, given }, render };
        return callWithBody(engine, call, (value, use) => createRailPayment(engine, { partner, scope }, value, use));
      }),
    retrieve: (scope, id) =>
      onRails(engine, scope, async () => shown(await retrieveRailPayment(engine, scope, kind, idOf(id)))),
    list: (scope, given = {}) =>
      onRails(engine, scope, async () => {
        const query = readGivenQuery(engine, LIST_RAILS_QUERY, { ...given });
        if (query.isErr()) return err(query.error);
        const page = await listRailPayments(engine, scope, kind, query.value.filter, query.value.page);
        return page.map((found) => parsed(listEnvelope(found, path, render)));
      }),
    cancel: (scope, id) =>
      onRails(engine, scope, async () => {
        await ready();
        return shown(await cancelRailPayment(engine, scope, kind, idOf(id)));
      }),
  };
}
