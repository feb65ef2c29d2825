import { expect, it } from 'vitest';

import { hostsOf } from '../src/hosts.js';

it.each([
  ['development', 'pk_test_a', 'http://127.0.0.1:4242', 'http://127.0.0.1:4244'],
  ['development', 'pk_live_a', 'http://127.0.0.1:4243', 'http://127.0.0.1:4245'],
  ['sandbox', 'pk_test_a', 'https://sandbox.gateramp.example', 'https://sandbox-checkout.gateramp.example'],
  ['production', 'pk_live_a', 'https://api.gateramp.example', 'https://checkout.gateramp.example'],
  [undefined, 'pk_live_a', 'https://api.gateramp.example', 'https://checkout.gateramp.example'],
] as const)('%s with %s is %s and %s', (environment, key, api, widget) => {
  expect(hostsOf(environment, key)).toEqual({ api, widget });
});

it('the environment alone decides: a key of the other mode is for the API to refuse', () => {
  expect(hostsOf('production', 'pk_test_a')).toEqual(hostsOf('production', 'pk_live_a'));
});
