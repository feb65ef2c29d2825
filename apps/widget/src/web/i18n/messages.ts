import { en, type Messages } from './en.js';

/** Languages that there are sentences in. */
export const LANGUAGES = ['en', 'de', 'ar', 'es', 'fr', 'it', 'pt', 'nl', 'pl'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The first language asked for that there is, else English. `de-AT` is German. */
export function languageOf(locales: readonly string[]): Language {
  for (const locale of locales) {
    const found = LANGUAGES.find((language) => language === locale.toLowerCase().split(/[-_]/)[0]);
    if (found !== undefined) return found;
  }
  return 'en';
}

/**
 * A locale as pages write it (`de-AT`, `de_AT`), made one that amounts can be laid out by; null for one without
 * sentences here, so that words and amounts are of one language, and for an invalid one, at which a browser would throw.
 */
export function usableLocale(text: string): string | null {
  try {
    const [locale = ''] = Intl.getCanonicalLocales(text.replaceAll('_', '-'));
    return LANGUAGES.some((language) => language === locale.split('-')[0]) ? locale : null;
  } catch {
    return null;
  }
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/** English is there at once and wherever another one does not come; each of the others is a file of its own. */
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
