import type { Settings } from '../app/app.js';
import { languageOf } from '../i18n/messages.js';

const KEY = 'gate_console';

/** The settings that this browser has kept; its own language and the theme of the device without them. */
export function keptSettings(storage: () => Storage, languages: readonly string[]): Settings {
  const { language, theme } = read(storage);
  return {
    language: languageOf([typeof language === 'string' ? language : '', ...languages]),
    theme: theme === 'light' || theme === 'dark' ? theme : null,
  };
}

/** Keeps the settings. Some browsers offer no storage; then they last until the page is left. */
export function keepSettings(storage: () => Storage, settings: Settings): void {
  try {
    storage().setItem(KEY, JSON.stringify(settings));
  } catch {
    // Storage is blocked or full.
  }
}

function read(storage: () => Storage): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(storage().getItem(KEY) ?? '{}');
    // The cast holds: the fields of any object may be read.
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
