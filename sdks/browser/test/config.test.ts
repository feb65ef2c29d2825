import { expect, it } from 'vitest';

import { parsedUrl } from '../src/config.js';
import * as sdk from '../src/index.js';
import { ConfigError, GateRamp, GateWidget, SecretKeyInBrowserError, type GateRampConfig } from '../src/index.js';

const publishableKey = 'pk_test_abc';

/** A config as plain JavaScript may pass it. */
const made = (config: unknown): GateRamp => new GateRamp(config as GateRampConfig);

it('is imported and constructed where there is no page', () => {
  expect(typeof document).toBe('undefined');
  for (const key of ['pk_test_abc', 'pk_live_abc']) expect(made({ publishableKey: key })).toBeInstanceOf(GateRamp);
});

it.each(['sk_test_abc', 'sk_live_abc', 'sk_'])('a secret key (%s…) throws, and is not repeated', (key) => {
  const secret = `${key}verysecret`;
  expect(() => made({ publishableKey: secret })).toThrow(SecretKeyInBrowserError);
  expect(() => made({ publishableKey: secret })).toThrow(expect.not.stringContaining('verysecret'));
});

it.each([undefined, null, '', 'pk_', 'pk_prod_abc', ' pk_test_abc', 'PK_TEST_abc', 7, {}])(
  'any other key (%j) throws a ConfigError',
  (key) => expect(() => made({ publishableKey: key })).toThrow(ConfigError),
);

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '600', null])('a height of %j throws a ConfigError', (height) => {
  expect(() => made({ publishableKey, height })).toThrow(ConfigError);
  expect(() => made({ publishableKey, maxHeight: height })).toThrow(ConfigError);
});

it('follows the checkout only with the height auto', () => {
  expect(made({ publishableKey, height: 'auto', maxHeight: 650 })).toBeInstanceOf(GateRamp);
  for (const odd of ['Auto', ' auto', 'none']) expect(() => made({ publishableKey, height: odd })).toThrow(ConfigError);
  expect(() => made({ publishableKey, maxHeight: 'auto' })).toThrow(ConfigError);
});

it('throws for nothing else: what does not fit is reported when it is mounted', () => {
  const odd = { environment: 'prod', apiBaseUrl: 'nowhere', iframeUrl: 'nowhere', clientSecret: 7, flow: 'gift' };
  expect(made({ publishableKey, ...odd })).toBeInstanceOf(GateRamp);
});

it.each(['createGateOnRamp', 'createGateOffRamp', 'createGateSwap'] as const)(
  '%s makes a GateRamp by its rules',
  (name) => {
    expect(sdk[name]({ publishableKey })).toBeInstanceOf(GateRamp);
    expect(() => sdk[name]({ publishableKey: 'sk_test_abc' })).toThrow(SecretKeyInBrowserError);
  },
);

it('the retired loader throws and names what has taken its place', () => {
  for (const use of [() => new GateWidget({ key: 'x' }), () => GateWidget.init('#x')])
    for (const word of ['GateRamp', 'publishableKey', 'clientSecret', 'mount()']) expect(use).toThrow(word);
});

it('errors are known by name too', () => {
  const { MountTargetError, StateError } = sdk;
  const names = [SecretKeyInBrowserError, ConfigError, MountTargetError, StateError].map((one) => new one('x').name);
  expect(names).toEqual(['SecretKeyInBrowserError', 'ConfigError', 'MountTargetError', 'StateError']);
});

it.each([
  'javascript:alert(1)//https://x',
  'data:text/html,x',
  '//evil.example',
  '\t//evil.example',
  'https:evil.example',
  '/embed',
  'ftp://shop.example',
  'https://',
  'nowhere',
  42,
])('takes no address but an http(s) one: %j', (url) => {
  expect(() => parsedUrl('iframeUrl', url)).toThrow(ConfigError);
});
