import { en, type Messages } from './en.js';

/** The languages that the checkout is translated into. */
export const LANGUAGES = ['en', 'de', 'ar', 'es', 'fr', 'it', 'pt', 'nl', 'pl'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The first requested language that is supported, otherwise English. `de-AT` is German. */
export function languageOf(locales: readonly string[]): Language {
  for (const locale of locales) {
    const found = LANGUAGES.find((language) => language === locale.toLowerCase().split(/[-_]/)[0]);
    if (found !== undefined) return found;
  }
  return 'en';
}

/**
 * Normalizes a locale such as `de-AT` or `de_AT` for formatting amounts. Null for an unsupported language, so that texts and amounts are in
 * the same language, and for an invalid locale, which `Intl` would reject.
 */
export function usableLocale(text: string): string | null {
  try {
    const [locale = ''] = Intl.getCanonicalLocales(text.replaceAll('_', '-'));
    return LANGUAGES.some((language) => language === locale.split('-')[0]) ? locale : null;
  } catch {
    return null;
  }
}

/**
 * The first usable locale that was asked for, otherwise the browser's. Shops usually name only a language: amounts and dates then follow
 * the region that the browser gives for it.
 */
export function localeOf(asked: readonly string[], browser: readonly string[]): string {
  const [first = 'en'] = usable([...asked, ...browser]);
  return withRegion(first, usable(browser));
}

function usable(locales: readonly string[]): readonly string[] {
  return locales.flatMap((locale) => usableLocale(locale) ?? []);
}

/** Adds to a language the region of the first of these locales in that language. */
export function withRegion(locale: string, locales: readonly string[]): string {
  return locales.find((one) => one.startsWith(`${locale}-`)) ?? locale;
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/** Loads the texts of a language. English is built in and used if loading another language fails. */
export async function messagesOf(language: Language): Promise<Messages> {
  return load(language).catch(() => en);
}

async function load(language: Language): Promise<Messages> {
  switch (language) {
    case 'en':
      return en;
    case 'de':
      return (await import('./de.js')).de;
    case 'ar':
      return (await import('./ar.js')).ar;
    case 'es':
      return (await import('./es.js')).es;
    case 'fr':
      return (await import('./fr.js')).fr;
    case 'it':
      return (await import('./it.js')).it;
    case 'pt':
      return (await import('./pt.js')).pt;
    case 'nl':
      return (await import('./nl.js')).nl;
    case 'pl':
      return (await import('./pl.js')).pl;
  }
}
