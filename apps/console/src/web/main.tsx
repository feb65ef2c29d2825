import { render } from 'preact';
import { streamPathOf, type App } from './app/app.js';
import { browserCall, run, type Send } from './app/run.js';
import { readRoute } from './app/route.js';
import { isLink, takeLink } from './host/invite.js';
import { browserPasskeys } from './host/passkeys.js';
import { Live } from './host/live.js';
import { keepSettings, keptSettings } from './host/settings.js';
import { directionOf, languageOf, messagesOf, type Language } from './i18n/messages.js';
import type { Messages } from './i18n/en.js';
import { AppView } from './ui/app-view.js';

/** Before anything else, so that no other code ever sees the code in the address. */
const link = takeLink(window);
const storage = (): Storage => localStorage;

const first: App = {
  settings: keptSettings(storage, navigator.languages),
  door: { at: 'opening' },
  route: readRoute(location.hash),
  loaded: {},
  search: { text: '', isOpen: false, found: null },
  form: null,
  isMenuOpen: false,
  ahead: { live: 0, scope: 0 },
  notice: null,
};

let shown: App = first;
let words: { readonly language: Language; readonly t: Messages } | null = null;
let wanted: Language | null = null;

const send: Send = run(first, {
  call: browserCall,
  show: (app) => {
    const before = shown;
    shown = app;
    speak();
    draw();
    live.follow(streamPathOf(app));
    if (before.route.page !== app.route.page && before.route.page?.name !== app.route.page?.name) beginPage();
  },
  replace: (href) => history.replaceState(null, '', href),
  keep: (settings) => keepSettings(storage, settings),
  passkeys: browserPasskeys,
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  copy: (text) => void navigator.clipboard.writeText(text).catch(() => undefined),
});

const live = new Live({
  open: (path, { opened, lost, changed }) => {
    const source = new EventSource(`./console/v1/${path}`);
    source.addEventListener('open', opened);
    source.addEventListener('error', lost);
    source.addEventListener('changed', ({ data }) => changed(String(data)));
    return () => source.close();
  },
  later: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  random: Math.random,
  onChanged: (topics, pace) => send({ type: 'changed', topics, pace }),
  onOpened: () => send({ type: 'stream_opened' }),
  isSignedIn: async () => {
    const answer = await browserCall({ method: 'GET', path: 'me' });
    if (answer.ok) return true;
    return answer.refusal.status === 401 ? false : null;
  },
  onSignedOut: () => send({ type: 'session_ended' }),
});

/** Loads the texts of the language, and draws once they are there. */
function speak(): void {
  const language = languageOf([shown.settings.language]);
  if (language === wanted) return;
  wanted = language;
  void messagesOf(language).then((t) => {
    if (language !== wanted) return;
    words = { language, t };
    draw();
  });
}

function draw(): void {
  const root = document.getElementById('root');
  if (words === null || root === null) return;
  const { language, t } = words;
  const { documentElement } = document;
  documentElement.lang = language;
  documentElement.dir = directionOf(language);
  if (shown.settings.theme === null) delete documentElement.dataset['theme'];
  else documentElement.dataset['theme'] = shown.settings.theme;
  render(<AppView app={shown} t={t} send={send} />, root);
  const heading = root.querySelector('h1')?.textContent ?? '';
  document.title = [heading, t.console].filter((part) => part !== '').join(' · ');
}

/** Starts a page at its top with the focus on its heading, as a browser does with a new document. */
function beginPage(): void {
  scrollTo(0, 0);
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
}

addEventListener('hashchange', () => {
  // A second link opened in this tab.
  if (isLink(location.hash)) location.reload();
  else send({ type: 'went', route: readRoute(location.hash) });
});
document.addEventListener('visibilitychange', () => {
  live.show(document.visibilityState === 'visible');
  if (document.visibilityState === 'visible') send({ type: 'reloaded' });
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null) return;
  event.preventDefault();
  document.querySelector<HTMLInputElement>('#search')?.focus();
});

live.show(document.visibilityState === 'visible');
speak();
send({ type: 'began', link });
