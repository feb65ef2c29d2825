import { TEST_KEYS } from '@gateramp/testing';
import { expectStatus, textOf } from './answer.js';
import { createQuote, createRail, freshKey, PAY_IN_BODY, PAY_OUT_BODY, SECRET, type RailNoun } from './calls.js';
import type { Route } from './route.js';

const RAILS: readonly RailNoun[] = ['pay_in', 'pay_out'];

const secret = { auth: 'secret', cors: false, hosts: ['test', 'live'], limit: 'shared', product: 'rails' } as const;
const read = { method: 'GET', idempotency: 'ignored', success: 200 } as const;

/** The contract of pay-ins and pay-outs. */
export const RAIL_ROUTES: readonly Route[] = [
  ...RAILS.flatMap((rail): readonly Route[] => {
    const template = `/v1/rails/${rail}s`;
    return [
      {
        ...secret,
        method: 'POST',
        template,
        idempotency: 'required',
        success: 201,
        sample: async (world, mode) => {
          const side = rail === 'pay_in' ? 'on_ramp' : 'off_ramp';
          const quote = expectStatus(await createQuote(world, { side }, { mode }), 201).json;
          const body = { quote_id: quote['id'], ...(rail === 'pay_in' ? PAY_IN_BODY : PAY_OUT_BODY) };
          return { path: template, sent: { mode, key: TEST_KEYS.secret[mode], idempotencyKey: freshKey(), body } };
        },
      },
      {
        ...secret,
        ...read,
        template,
        sample: async (_, mode) => ({ path: template, sent: { mode, key: TEST_KEYS.secret[mode] } }),
      },
      { ...secret, ...read, template: `${template}/{id}`, sample: ofRail(rail, '') },
      {
        ...secret,
        method: 'POST',
        template: `${template}/{id}/cancel`,
        idempotency: 'ignored',
        success: 200,
        sample: ofRail(rail, '/cancel'),
      },
    ];
  }),
  {
    ...secret,
    hosts: ['test'],
    limit: null,
    method: 'POST',
    template: '/v1/test_helpers/rails/{id}/simulate',
    idempotency: 'honoured',
    success: 200,
    sample: async (world) => {
      const payment = expectStatus(await createRail(world, 'pay_in'), 201).json;
      const path = `/v1/test_helpers/rails/${textOf(payment, 'id')}/simulate`;
      return { path, sent: { key: SECRET, body: { scenario: 'succeed' } } };
    },
  },
];

function ofRail(rail: RailNoun, action: string): Route['sample'] {
  return async (world, mode) => {
    const payment = expectStatus(await createRail(world, rail, {}, { mode }), 201).json;
    const path = `/v1/rails/${rail}s/${textOf(payment, 'id')}${action}`;
    return { path, sent: { mode, key: TEST_KEYS.secret[mode] } };
  };
}
