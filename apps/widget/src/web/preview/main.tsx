import { render } from 'preact';
import { AppView } from '../app/app-view.js';
import { brandingOf } from '../host/frame.js';
import { directionOf, languageOf, messagesOf } from '../i18n/messages.js';
import { applyTheme, onDeviceTheme } from '../style/apply-theme.js';
import type { Branding } from '../wire/types.js';
import { previewOf } from './preview-of.js';

/**
 * The first step of the checkout in the appearance that the fragment describes, for the console. It has no session, makes no calls
 * and takes no input.
 */
const language = languageOf([new URLSearchParams(location.search).get('locale') ?? '', ...navigator.languages]);
const t = await messagesOf(language);

function draw(): void {
  const root = document.getElementById('root');
  if (root === null) return;
  const { documentElement: html } = document;
  html.lang = language;
  html.dir = directionOf(language);
  // The accent colour of the previous appearance.
  html.removeAttribute('style');
  const app = previewOf(described(), language);
  applyTheme(app.settings);
  render(<AppView app={app} t={t} send={() => undefined} />, root);
}

/** Null if the fragment is not such a description. */
function described(): Branding | null {
  try {
    return brandingOf(JSON.parse(decodeURIComponent(location.hash.slice(1))));
  } catch {
    return null;
  }
}

draw();
addEventListener('hashchange', draw);
onDeviceTheme(draw);
