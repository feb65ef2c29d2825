import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { hasWrongChecksum, loadChecksum } from '../src/web/address/eip55.js';
import { claimsOfToken } from '../src/web/host/token-claims.js';
import { en } from '../src/web/i18n/en.js';
import { durationText } from '../src/web/i18n/duration.js';
import { LANGUAGES, languageOf, localeOf, messagesOf, usableLocale, withRegion } from '../src/web/i18n/messages.js';
import { formatCrypto, formatDecimal, formatFiat, shortDecimal } from '../src/web/money/format-amount.js';
import { matchingAssets } from '../src/web/screens/order/matching-assets.js';
import { mayReload } from '../src/web/screens/outcome/broken-state.js';
import { accentOf, contrast, CONTRAST_MIN, readRgb } from '../src/web/style/accent.js';

await loadChecksum();

describe('amounts', () => {
  it('are formatted for each language', () => {
    expect(formatFiat('1234.50', 'EUR', 'en')).toBe('€1,234.50');
    expect(formatFiat('1234.50', 'EUR', 'de')).toBe('1.234,50\u00a0€');
    expect(formatCrypto('107.554347', 'USDC', 'de')).toBe('107,554347\u00a0USDC');
    expect(formatFiat('100', 'EUR', 'en')).toBe('€100');
    expect(formatFiat('12.00', 'EUR', 'ar')).toContain('12.00');
  });

  const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.stringMatching(/^[0-9]{0,18}$/));
  test.prop([decimal, fc.constantFrom(...LANGUAGES)])('keep all digits at any length', ([whole, fraction], locale) => {
    const amount = fraction === '' ? `${whole}` : `${whole}.${fraction}`;
    expect(formatDecimal(amount, locale).replace(/\D/g, '')).toBe(`${whole}${fraction}`);
  });

  it('of rates are truncated, not rounded up', () => {
    expect(shortDecimal('1.08695652173913043', 6)).toBe('1.086956');
    expect(shortDecimal('0.000306666', 3)).toBe('0.000306');
    expect(shortDecimal('3000', 6)).toBe('3000');
    expect(shortDecimal('1.500', 6)).toBe('1.5');
  });
});

describe('a partner’s colour', () => {
  const channel = fc.integer({ min: 0, max: 255 });
  const color = fc
    .tuple(channel, channel, channel)
    .map((rgb) => `#${rgb.map((one) => one.toString(16).padStart(2, '0')).join('')}`);

  test.prop([color, fc.constantFrom('light', 'dark')])('always yields readable contrast', (hex, theme) => {
    const accent = accentOf(hex, theme);
    const [fill, onFill, line] = [accent?.fill, accent?.onFill, accent?.line].map((one) => readRgb(one ?? ''));
    const surface = readRgb(theme === 'light' ? '#ffffff' : '#171e27');
    if (!fill || !onFill || !line || !surface) throw new Error('An accent has three colours.');
    expect(contrast(fill, onFill)).toBeGreaterThanOrEqual(CONTRAST_MIN);
    expect(contrast(line, surface)).toBeGreaterThanOrEqual(CONTRAST_MIN);
  });

  it('is ignored if it is invalid', () => {
    for (const none of [null, '', 'red', '#fff', '#12345g', 'url(https://evil.example)'])
      expect(accentOf(none, 'light')).toBeNull();
  });
});

describe('addresses', () => {
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  ])('accepts the examples of EIP-55: %s', (address) => expect(hasWrongChecksum(address)).toBe(false));

  it('detects one letter in the wrong case', () =>
    expect(hasWrongChecksum('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe(true));
});

describe('the asset picker', () => {
  const assets = [
    { token: 'USDC', network: 'base' },
    { token: 'USDC', network: 'ethereum' },
    { token: 'ETH', network: 'ethereum' },
    { token: 'USDT', network: 'bsc' },
  ];
  it.each([
    ['', 4],
    ['usdc', 2],
    [' Base usd ', 1],
    ['ether', 2],
    ['bnb smart', 1],
    ['doge', 0],
  ])('finds the assets that match every word: "%s"', (text, count) =>
    expect(matchingAssets(assets, text)).toHaveLength(count),
  );
});

describe('a checkout that cannot go on', () => {
  const may = (code: string, kind: 'frame' | 'page') => mayReload({ code, fields: [], requestId: null }, { kind }, en);

  it('offers a retry if it may help', () => {
    for (const code of ['unreachable', 'http_502', 'service_unavailable', 'rate_limit_exceeded'])
      expect([may(code, 'frame'), may(code, 'page')]).toEqual([true, true]);
    // Refusals without a text of their own: the general one says to try again.
    for (const code of ['http_400', 'invalid_embed_token'])
      expect([may(code, 'frame'), may(code, 'page')]).toEqual([true, true]);
    expect([may('expired_embed_token', 'frame'), may('expired_embed_token', 'page')]).toEqual([false, true]);
    for (const code of ['session_not_found', 'origin_not_allowed', 'no_visit', 'partner_suspended'])
      expect([may(code, 'frame'), may(code, 'page')]).toEqual([false, false]);
  });
});

describe('an embed token', () => {
  const tokenOf = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

  it('contains its page’s origin and whether it is bound to a session', () => {
    expect(claimsOfToken(tokenOf({ origin: 'https://shop.example', session: 's1' }))).toEqual({
      origin: 'https://shop.example',
      isBound: true,
      issuedAt: null,
    });
    expect(claimsOfToken(tokenOf({ origin: 'https://bücher.example', session: null, iat: 1_900_000_000 }))).toEqual({
      origin: 'https://bücher.example',
      isBound: false,
      issuedAt: 1_900_000_000_000,
    });
  });

  test.prop([fc.string()])('is not parsed from other text', (text) => {
    expect(claimsOfToken(text)).toBeNull();
  });
});

describe('languages', () => {
  it('the first supported requested language is used', () => {
    expect(languageOf(['sv', 'de-AT', 'en'])).toBe('de');
    expect(languageOf(['', 'AR-eg'])).toBe('ar');
    expect(languageOf([])).toBe('en');
  });

  it('the locale of a page is normalized and used if its language is supported', () => {
    expect(['de-AT', 'de_AT', 'EN-gb', 'ar'].map(usableLocale)).toEqual(['de-AT', 'de-AT', 'en-GB', 'ar']);
    expect(['sv', 'C', '', 'en us', 'x'.repeat(100), '<b>'].map(usableLocale)).toEqual(Array(6).fill(null));
    expect(languageOf(['de_DE'])).toBe('de');
  });

  it('amounts follow the browser’s region, also if the shop names only the language', () => {
    expect(localeOf([], ['es-MX', 'es', 'en'])).toBe('es-MX');
    expect(localeOf(['de', ''], ['de-CH', 'en-US'])).toBe('de-CH');
    expect(localeOf(['de-AT'], ['de-CH'])).toBe('de-AT');
    expect(localeOf(['fr'], ['sv', 'en-IN'])).toBe('fr');
    expect(localeOf(['xx'], ['sv', 'en_in'])).toBe('en-IN');
    expect(localeOf([''], ['sv'])).toBe('en');
    expect([withRegion('de', ['de-CH']), withRegion('en', ['de-CH']), withRegion('de-AT', ['de-CH'])]).toEqual([
      'de-CH',
      'en',
      'de-AT',
    ]);
    const written = (locale: string) =>
      formatFiat('1234567.50', 'EUR', locale).replaceAll(/\s/g, ' ').replaceAll('’', "'");
    expect(['es-MX', 'de-CH', 'en-IN'].map(written)).toEqual(['EUR 1,234,567.50', "EUR 1'234'567.50", '€12,34,567.50']);
  });

  test.prop([fc.string()])('an invalid locale never reaches Intl', (text) => {
    const locale = usableLocale(text);
    if (locale !== null) expect(formatFiat('1.00', 'EUR', locale)).toContain('1');
  });

  it('durations are formatted in the language', () => {
    expect([1, 30, 90, 3600, 86_400, 172_800].map((seconds) => durationText(seconds, 'en'))).toEqual([
      '1 second',
      '30 seconds',
      '2 minutes',
      '60 minutes',
      '24 hours',
      '2 days',
    ]);
    expect([durationText(60, 'de'), durationText(7200, 'de')]).toEqual(['60 Sekunden', '2 Stunden']);
    expect([durationText(90, 'ar'), durationText(1200, 'ar')]).toEqual(['دقيقتان', '20 دقيقة']);
  });

  const others = LANGUAGES.filter((language) => language !== 'en');

  it.each(others)('every English text has a translation: %s', async (language) => {
    expect([...sentencesOf(await messagesOf(language)).keys()].toSorted()).toEqual(
      [...sentencesOf(en).keys()].toSorted(),
    );
  });

  it.each(others)('translations use all values of the English text: %s', async (language) => {
    const sentences = sentencesOf(await messagesOf(language));
    for (const [key, english] of sentencesOf(en)) {
      const put = (text = ''): readonly string[] => (text.match(/700\d/g) ?? []).toSorted();
      expect([key, put(sentences.get(key))]).toEqual([key, put(english)]);
      expect([key, sentences.get(key)?.trim() === '']).toEqual([key, false]);
    }
  });

  it('the article before a nameless shop is contracted', async () => {
    const returned = async (language: (typeof LANGUAGES)[number]): Promise<string> => {
      const { returnTo, theShop } = await messagesOf(language);
      return returnTo(theShop);
    };
    expect(await Promise.all((['de', 'it', 'pt', 'fr'] as const).map(returned))).toEqual([
      'Zurück zum Shop',
      'Torna al negozio',
      'Voltar à loja',
      'Retour à la boutique',
    ]);
    expect((await messagesOf('it')).returnTo('Acme')).toBe('Torna a Acme');
  });

  it('plurals follow the language', async () => {
    const pl = await messagesOf('pl');
    expect([1, 3, 5, 22].map((count) => pl.errorSummary(count))).toEqual([
      'Sprawdź jedno pole.',
      'Sprawdź 3 pola.',
      'Sprawdź 5 pól.',
      'Sprawdź 22 pola.',
    ]);
  });

  /** The texts by key path, with numbers as placeholders. */
  function sentencesOf(messages: object, path = ''): ReadonlyMap<string, string> {
    return new Map(
      Object.entries(messages).flatMap(([key, value]: [string, unknown]): [string, string][] => {
        if (typeof value === 'object' && value !== null) return [...sentencesOf(value, `${path}${key}.`)];
        if (typeof value !== 'function') return [[`${path}${key}`, String(value)]];
        const given = Array.from({ length: value.length }, (_, index) => 7000 + index);
        return [[`${path}${key}`, String(Reflect.apply(value, null, given))]];
      }),
    );
  }
});
