import type { Settings, Theme } from '../app/app.js';
import { accentOf } from './accent.js';

const prefersDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');

/** Applies theme and accent colour through the CSSOM, the only way that the Content-Security-Policy of the page allows. */
export function applyTheme({ theme, branding }: Settings): void {
  const worn: Theme = theme ?? (prefersDark().matches ? 'dark' : 'light');
  const { style, dataset } = document.documentElement;
  dataset['theme'] = worn;
  const accent = accentOf(branding?.accent_color ?? null, worn);
  if (accent === null) return;
  style.setProperty('--accent', accent.fill);
  style.setProperty('--on-accent', accent.onFill);
  style.setProperty('--accent-line', accent.line);
}

/** Calls `changed` when the theme of the device changes while the page is open. */
export function onDeviceTheme(changed: () => void): void {
  prefersDark().addEventListener('change', changed);
}
