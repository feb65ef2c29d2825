import { ok } from 'neverthrow';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { knownAs, toJsonText } from '../../src/domain/json.js';
import { refuse } from '../../src/domain/refusal.js';
import { endpoint } from '../../src/http/endpoint.js';
import { SECRET_READ } from '../../src/http/presets.js';
import { wireType } from '../../src/http/schema/members.js';

type Coin = { readonly object: 'coin'; readonly side: 'heads' | 'tails' };

const example: Coin = { object: 'coin', side: 'heads' };
const says = { description: 'A coin.', example: toJsonText(example) };
const sides = z.enum(['heads', 'tails']);
const COIN = wireType('Coin', z.object({ object: z.literal('coin'), side: sides }), says);
const coin = { ...SECRET_READ, scope: null, name: 'coin', path: '/v1/coin', summary: 'A coin', reply: COIN } as const;

// The compiler checks the expectations below: `npm run typecheck` fails where a line compiles.
it('a schema that differs from its type does not compile', () => {
  // @ts-expect-error a member is missing
  wireType('Coin', z.object({ side: sides }), says);
  // @ts-expect-error the type has no such member
  wireType('Coin', z.object({ object: z.literal('coin'), side: sides, worth: z.string() }), says);
  // @ts-expect-error a coin may also show tails
  wireType('Coin', z.object({ object: z.literal('coin'), side: z.literal('heads') }), says);
  // @ts-expect-error no coin shows its edge
  wireType('Coin', z.object({ object: z.literal('coin'), side: z.enum(['heads', 'tails', 'edge']) }), says);
  expect(COIN.schema.safeParse(example).success).toBe(true);
});

it('an endpoint whose response differs from its reply type does not compile', () => {
  // @ts-expect-error `edge` is no side of a coin
  endpoint({ ...coin, refusals: [], run: async () => ok(toJsonText({ object: 'coin', side: 'edge' })) });
  const declared = endpoint({ ...coin, refusals: [], run: async () => ok(toJsonText(example)) });
  expect(declared.reply).toBe(COIN);
});

it('an endpoint that omits a refusal of its use case does not compile', () => {
  // @ts-expect-error `session_not_found` is refused and not declared
  endpoint({ ...coin, refusals: ['quote_not_found'], run: async () => refuse('session_not_found', 'None.') });
  // @ts-expect-error there is no such code
  endpoint({ ...coin, refusals: ['coin_not_found'], run: async () => ok(knownAs<Coin>(toJsonText(example))) });
  const declared = endpoint({
    ...coin,
    refusals: ['session_not_found'],
    run: async () => refuse('session_not_found', 'None.'),
  });
  expect(declared.refusals).toEqual(['session_not_found']);
});
