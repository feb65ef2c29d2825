import { cancelRailPayment } from '../../application/rails/cancel-rail-payment.js';
import { createRailPayment, type CreateRailPayment } from '../../application/rails/create-rail-payment.js';
import { listRailPayments, retrieveRailPayment } from '../../application/rails/read-rail-payments.js';
import type { JsonText } from '../../domain/json.js';
import type { RailKind, RailPayment } from '../../domain/rails/rail-payment.js';
import { payInResource, payOutResource } from '../../domain/rails/rail-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../pipeline/router.js';
import { GLOBAL_TIERS, KEY_REFUSALS, KEYED_WRITE, RAILS_ENTITLEMENT, SECRET_READ, SECRET_WRITE } from '../presets.js';
import { listEnvelope, listOf } from '../schema/lists.js';
import { type WireType } from '../schema/members.js';
import { type BodyType } from '../schema/request.js';
import { CREATE_PAY_IN_BODY, CREATE_PAY_OUT_BODY, LIST_RAILS_QUERY, PAY_IN, PAY_OUT } from './schemas.js';

/** Pay-ins or pay-outs, which have the same four endpoints. */
interface RailResource<Shape, Given, Path extends string> {
  readonly kind: RailKind;
  /** As in operation ids, such as `createPayIn`. */
  readonly name: string;
  readonly path: Path;
  readonly words: string;
  readonly body: BodyType<CreateRailPayment, Given>;
  readonly type: WireType<Shape>;
  readonly resource: (payment: RailPayment) => JsonText<Shape>;
}

const ON_RAILS = { requires: RAILS_ENTITLEMENT, limits: GLOBAL_TIERS } as const;

function railEndpoints<Shape, Given, const Path extends string>({
  kind,
  name,
  path,
  words,
  body,
  type,
  resource,
}: RailResource<Shape, Given, Path>) {
  return {
    create: endpoint({
      ...KEYED_WRITE,
      ...ON_RAILS,
      name: `create${name}`,
      beginsPayment: true,
      scope: 'rails:write',
      path,
      summary: `Create a ${words} from a quote, which can be used once`,
      body,
      reply: type,
      refusals: [
        ...KEY_REFUSALS,
        'quote_not_found',
        'quote_expired',
        'quote_already_used',
        'corridor_not_supported',
        'wallet_address_invalid',
        'amount_below_minimum',
        'amount_above_maximum',
        'asset_network_mismatch',
        'service_unavailable',
      ],
      run: async (call) => {
        const done = await createRailPayment(call.engine, call.caller, call.body, call.keyed(resource));
        return done.map((answered) => call.answer(answered, resource));
      },
    }),
    list: endpoint({
      ...SECRET_READ,
      ...ON_RAILS,
      name: `list${name}s`,
      scope: 'rails:read',
      path,
      summary: `List ${words}s, newest first`,
      query: LIST_RAILS_QUERY,
      reply: listOf(type, path),
      refusals: ['intent_not_found'],
      run: async ({ engine, caller, query, path: sent }) => {
        const page = await listRailPayments(engine, caller.scope, kind, query.filter, query.page);
        return page.map((found) => listEnvelope(found, sent, resource));
      },
    }),
    retrieve: endpoint({
      ...SECRET_READ,
      ...ON_RAILS,
      name: `retrieve${name}`,
      scope: 'rails:read',
      path: `${path}/{id}` as const,
      summary: `Retrieve a ${words}`,
      reply: type,
      refusals: ['intent_not_found'],
      run: async ({ engine, caller, params }) =>
        (await retrieveRailPayment(engine, caller.scope, kind, param(params, 'id'))).map(resource),
    }),
    cancel: endpoint({
      ...SECRET_WRITE,
      ...ON_RAILS,
      name: `cancel${name}`,
      scope: 'rails:write',
      path: `${path}/{id}/cancel` as const,
      summary: `Cancel a ${words} that has not received its money`,
      // A repeat is refused because of the payment's state.
      idempotency: 'ignored',
      reply: type,
      refusals: ['intent_not_found', 'intent_not_confirmable'],
      run: async ({ engine, caller, params }) =>
        (await cancelRailPayment(engine, caller.scope, kind, param(params, 'id'))).map(resource),
    }),
  };
}

export const payInEndpoints = railEndpoints({
  kind: 'pay_in',
  name: 'PayIn',
  path: '/v1/rails/pay_ins',
  words: 'pay-in',
  body: CREATE_PAY_IN_BODY,
  type: PAY_IN,
  resource: payInResource,
});

export const payOutEndpoints = railEndpoints({
  kind: 'pay_out',
  name: 'PayOut',
  path: '/v1/rails/pay_outs',
  words: 'pay-out',
  body: CREATE_PAY_OUT_BODY,
  type: PAY_OUT,
  resource: payOutResource,
});
