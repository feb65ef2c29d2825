import { expect, it } from 'vitest';
import { possible, SITUATIONS, TEST_VALUES } from '../page/situations.js';
import { runShop } from './running-shop.js';

const CARD = { code: 'card', flows: ['on_ramp'], refundable: true, savable: false, components: [] };
const SANDBOX = { ...CARD, savable: true, components: [{ provider: 'sandbox' }] };
const TRANSFER = { ...CARD, code: 'bank_transfer', flows: ['off_ramp'], savable: true };

async function abilitiesOf(methods: readonly object[] | null) {
  const shop = await runShop(methods === null ? {} : { methods });
  const config: unknown = await (await fetch(`${shop.origin}/config`)).json();
  expect(config).toHaveProperty('abilities');
  return (config as Parameters<typeof labelsOf>[0]).abilities;
}

function labelsOf({ abilities }: { readonly abilities: Parameters<typeof possible>[1] }): readonly string[] {
  return possible(SITUATIONS, abilities).map(({ label }) => label);
}

it('the page gets the abilities of the providers, and lists only situations that they support', async () => {
  const legs = await abilitiesOf([CARD, TRANSFER]);
  expect(legs).toEqual(['card']);
  expect(labelsOf({ abilities: legs })).toEqual([
    'Card declined',
    '3-D Secure',
    'Connection lost',
    'Unavailable',
    'Expired',
  ]);
  expect(possible(TEST_VALUES, legs).map(({ note }) => note)).not.toContain('opens the bank’s page');
});

it('all situations are listed for the sandbox, and when the abilities cannot be read', async () => {
  const sandbox = await abilitiesOf([SANDBOX, { ...TRANSFER, flows: ['on_ramp'] }]);
  for (const abilities of [sandbox, await abilitiesOf(null)]) {
    expect(labelsOf({ abilities })).toHaveLength(SITUATIONS.length);
    expect(possible(TEST_VALUES, abilities)).toHaveLength(TEST_VALUES.length);
  }
});
