import { describe, expect, it } from 'vitest';

import {
  isAllowedOrigin,
  isLoopback,
  isOriginText,
  urlProblem,
  type ParsedUrl,
} from '../../../src/domain/origin/origin.js';

/** Parsed as at the edge, because the domain has no URL parser. */
function parse(text: string): ParsedUrl | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, origin, username, password } = new URL(text);
  return { protocol, hostname, origin, hasCredentials: username !== '' || password !== '' };
}

describe('a return or cancel URL', () => {
  it.each(['https://shop.example/done?x=1#y', 'https://shop.example:8443', 'HTTPS://SHOP.EXAMPLE'])(
    '%s is fine in both modes',
    (url) => {
      expect(urlProblem(parse(url), 'test')).toBeNull();
      expect(urlProblem(parse(url), 'live')).toBeNull();
    },
  );

  it.each([
    'http://localhost:3000/done',
    'http://127.0.0.1/',
    'http://127.9.9.9:1/',
    'http://[::1]:3000/',
    'http://127.1/',
  ])('%s, loopback http, is for the test host only', (url) => {
    expect(urlProblem(parse(url), 'test')).toBeNull();
    expect(urlProblem(parse(url), 'live')).toContain('https');
  });

  it.each([
    'http://shop.example/',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
    'ftp://localhost/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://user:pass@shop.example/',
    'https://user@shop.example/',
    'http://shop.example@localhost/',
    '/done',
    'shop.example',
    '//shop.example/done',
    '',
  ])('%s is refused in both modes', (url) => {
    expect(urlProblem(parse(url), 'test')).not.toBeNull();
    expect(urlProblem(parse(url), 'live')).not.toBeNull();
  });
});

describe('the allow-list', () => {
  const allowed = ['https://shop.example', 'http://localhost:3000'];

  it('contains exact origins', () => {
    expect(isAllowedOrigin(allowed, 'https://shop.example')).toBe(true);
    expect(isAllowedOrigin(allowed, parse('https://SHOP.example:443/deep?x')?.origin ?? '')).toBe(true);
  });

  it.each([
    'https://www.shop.example',
    'http://shop.example',
    'https://shop.example:8443',
    'https://shop.example.evil.example',
    'https://shop.example/',
    'https://SHOP.example',
    'http://localhost',
    'null',
    '*',
    '',
  ])('has no wildcards: %j is not in it', (origin) => {
    expect(isAllowedOrigin(allowed, origin)).toBe(false);
  });

  it('allows nothing if empty', () => {
    expect(isAllowedOrigin([], '')).toBe(false);
  });
});

it.each(['localhost.', 'localhost.evil', '127.0.0.1.evil', '0.0.0.0', '::1', '128.0.0.1', ''])(
  '%j is not loopback',
  (hostname) => {
    expect(isLoopback(hostname)).toBe(false);
  },
);

describe('the text of an origin', () => {
  it.each([
    'https://shop.example',
    'https://a-b.shop.example:8443',
    'https://xn--mnchen-3ya.example',
    'http://localhost:3000',
    'http://127.0.0.1:4242',
    'http://[::1]:4242',
    'https://1.2.3.4',
  ])('%s is accepted', (text) => {
    expect(isOriginText(text)).toBe(true);
  });

  it('has nothing in its host that would end or extend a part of a header', () => {
    for (const character of ` ;,'"*!$&()+=~_^|{}\`\\<>@#?%/éß`)
      for (const text of [
        `https://a${character}b.example`,
        `https://${character}.example`,
        `https://a.example${character}`,
      ])
        expect([text, isOriginText(text)]).toEqual([text, false]);
  });

  it.each([
    '',
    'null',
    'shop.example',
    'ftp://shop.example',
    'https://',
    'https://shop.example.',
    'https://.example',
    'https://a..example',
    'https://-a.example',
    'https://a-.example',
    'https://Shop.example',
    'https://shop.example:',
    'https://shop.example:123456',
    'https://user@shop.example',
    `https://${'a'.repeat(250)}.example`,
  ])('%s is refused', (text) => {
    expect(isOriginText(text)).toBe(false);
  });
});
