import { en, type Messages } from './en.js';

export const LANGUAGES = ['en', 'de', 'ar'] as const;

export type Language = (typeof LANGUAGES)[number];

/** The first supported language of a list of preferences. */
export function languageOf(wanted: readonly string[]): Language {
  for (const one of wanted) {
    const found = LANGUAGES.find((language) => one.toLowerCase().split('-')[0] === language);
    if (found !== undefined) return found;
  }
  return 'en';
}

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** English is part of the first load; the other languages are a file each. */
export async function messagesOf(language: Language): Promise<Messages> {
  switch (language) {
    case 'de':
      return (await import('./de.js')).de;
    case 'ar':
      return (await import('./ar.js')).ar;
    case 'en':
      return en;
  }
}
