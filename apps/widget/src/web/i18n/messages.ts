import { en, type Messages } from './en.js';

/** Languages that there are sentences in. */
export const LANGUAGES = ['en', 'de', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The first language asked for that there is, else English. `de-AT` is German. */
export function languageOf(locales: readonly string[]): Language {
  for (const locale of locales) {
    const found = LANGUAGES.find((language) => language === locale.toLowerCase().split('-')[0]);
    if (found !== undefined) return found;
  }
  return 'en';
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/** English is there at once, the others when somebody needs them. */
export async function messagesOf(language: Language): Promise<Messages> {
  switch (language) {
    case 'en':
      return en;
    case 'de':
      return (await import('./de.js')).de;
    case 'ar':
      return (await import('./ar.js')).ar;
  }
}
