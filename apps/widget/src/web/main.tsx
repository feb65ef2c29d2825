import { render } from 'preact';
import { loadChecksum } from './address/eip55.js';
import type { App } from './app/app.js';
import { AppView } from './app/app-view.js';
import { exitOf } from './app/exit.js';
import { keptOf, type SavedForm } from './app/saved-form.js';
import type { AppEvent } from './app/reduce.js';
import { run, type Send } from './app/run.js';
import { followHeight } from './host/follow-height.js';
import { brandingOf, openFrame, unavailableDetailOf, type Frame } from './host/frame.js';
import { readVisit, type Visit } from './host/full-page.js';
import { deviceWallets } from './host/device-wallets.js';
import { keepDraft, keptDraft } from './host/kept-draft.js';
import { rememberAddresses } from './host/recent-addresses.js';
import { resolveName } from './host/resolve-name.js';
import { StepHistory } from './host/step-history.js';
import { isWebAddress } from './host/web-address.js';
import { leaveForVisit, leftVisit, visitInWindow } from './host/visits.js';
import { directionOf, languageOf, localeOf, messagesOf, type Language } from './i18n/messages.js';
import type { Messages } from './i18n/en.js';
import { documentSteps } from './screens/documents/document-steps.js';
import { applyTheme, onDeviceTheme } from './style/apply-theme.js';
import { bootstrap, embedApi, type Api } from './wire/api.js';

const LOOK_AGAIN_MS = 15_000;

const apiOrigin = metaOf('gate-api');
const mode = metaOf('gate-mode') === 'live' ? 'live' : 'test';
const isFrame = location.pathname.endsWith('/embed');
const query = new URLSearchParams(location.search);
/** Whether this is the page that the bank redirects to, in the tab that left for it or in the window that the frame opened. */
const isReturn = location.pathname.endsWith('/return');
const visit = isFrame ? null : (readVisit(window) ?? (isReturn ? leftVisit(window) : null));

/** The appearance of the partner's checkout, which the host writes into the page if it knows it. */
const look = brandingOf(parsed(metaOf('gate-look')));

let api: Api | null = null;
let frame: Frame | null = null;
let shown: App | null = null;
/** The buyer has returned from the bank's page, and the checkout has not handled it yet. */
let isBack = isReturn && visit !== null;
let postHeight: ReturnType<typeof followHeight> | null = null;
let words: { readonly language: Language; readonly t: Messages } | null = null;
let wanted: Language | null = null;

const uploader = async () => (await documentSteps.load()).uploadFile;

const first: App = {
  settings: {
    kind: isFrame ? 'frame' : 'page',
    mode,
    locale: localeOf([query.get('locale') ?? visit?.locale ?? ''], navigator.languages),
    theme: visit?.theme ?? (isFrame ? themeOfQuery() : null) ?? look?.theme ?? null,
    partnerName: look?.display_name ?? null,
    branding: look,
    wallets: deviceWallets(window),
  },
  opened: null,
  terms: null,
  memory: null,
  resumeAt: null,
  leadMs: 0,
  cancelling: null,
  screen: { at: 'opening' },
};

const steps = isFrame ? null : new StepHistory({ self: window, goBack });

/** A part that loads later changes the heading without `draw`. */
const headings = new MutationObserver(updateTitle);

const send: Send = run(first, {
  api: () => api,
  now: () => Date.now(),
  post: (message) => {
    if (message.type === 'PAYMENT_CLOSE') forget();
    frame?.post(message);
  },
  leave: (url) => {
    if (!isWebAddress(url)) return;
    forget();
    location.assign(url);
  },
  reload: () => location.reload(),
  visit: (url) => {
    if (!isWebAddress(url)) return;
    if (isFrame)
      visitInWindow(url, {
        blocked: () => send({ type: 'window_blocked' }),
        gone: () => send({ type: 'may_be_back' }),
      });
    else leaveForVisit(url, visit);
  },
  recall: keptDraft,
  remember: rememberAddresses,
  resolveName: metaOf('gate-names') === 'on' ? resolveName : null,
  show: (app) => {
    const before = shown?.screen.at ?? 'opening';
    shown = app;
    keep(keptOf(app));
    draw();
    if (app.screen.at !== before && before !== 'opening') beginStep();
    steps?.moved(before, app.screen.at);
    if (app.screen.at === 'visit' && isBack) {
      isBack = false;
      queueMicrotask(() => send({ type: 'returned' }));
    }
    const language = languageOf([app.settings.locale]);
    if (language === wanted) return;
    wanted = language;
    void messagesOf(language).then((t) => speak(language, t));
  },
});

function goBack(): boolean {
  if (shown === null || exitOf(shown).isShut) return false;
  send({ type: 'went_back' });
  return true;
}

/** Sends an event of the buyer. In the full page, going back uses the browser's history. */
function sendByHand(event: AppEvent): void {
  if (event.type !== 'went_back' || steps?.back() !== true) send(event);
}

/** Scrolls to the top of a new step. */
function beginStep(): void {
  scrollTo(0, 0);
  postHeight?.({ isNewStep: true });
}

/** Checks the session again, since another tab may have paid. */
function lookAgain(): void {
  if (document.visibilityState === 'visible') send({ type: 'looked_again' });
}

/** Removes the stored form when the buyer leaves. */
function forget(): void {
  keep(null);
}

function keep(kept: SavedForm | null): void {
  const sessionId = shown?.terms?.sessionId ?? null;
  if (sessionId !== null) keepDraft(sessionId, kept);
}

/** Draws with the loaded texts. Until then the initial page stays, so that no other language flashes first. */
function speak(language: Language, t: Messages): void {
  if (language !== wanted) return;
  words = { language, t };
  draw();
}

function draw(): void {
  const root = document.getElementById('root');
  if (shown === null || words === null || root === null) return;
  const { language, t } = words;
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
  applyTheme(shown.settings);
  render(<AppView app={shown} t={t} send={sendByHand} />, root);
  headings.observe(root, { childList: true, characterData: true, subtree: true });
  updateTitle();
  // A ResizeObserver does not fire in a frame that is out of view.
  postHeight?.({ isNewStep: false });
}

function updateTitle(): void {
  const step = document.querySelector('#root h1')?.textContent ?? words?.t.checkout;
  document.title = [step ?? '', shown?.settings.partnerName ?? ''].filter((part) => part !== '').join(' · ');
}

onDeviceTheme(draw);
addEventListener('online', () => send({ type: 'went_online' }));
document.addEventListener('visibilitychange', lookAgain);
setInterval(lookAgain, LOOK_AGAIN_MS);
// A new session in the fragment does not reload an open page by itself.
// Without it the service still refuses a wrong checksum.
loadChecksum().catch(() => undefined);
if (!isFrame) addEventListener('hashchange', () => location.reload());

if (isReturn && visit === null) closeReturn();
else if (!isFrame) void openPage(visit);
else if (window.parent === window) broken('not_framed');
else {
  frame = openFrame(
    { self: window, parent: window.parent },
    {
      opened: (token, followsHeight) => {
        api = embedApi(apiOrigin, token, uploader);
        if (followsHeight)
          postHeight = followHeight(document, (payload) => frame?.post({ type: 'WIDGET_RESIZE', payload }));
      },
      event: (event) => send(event),
    },
  );
}

/** Closes the window that the frame opened and watches. If the browser keeps it open, a message is shown. */
function closeReturn(): void {
  window.close();
  broken('returned_elsewhere');
}

async function openPage(called: Visit | null): Promise<void> {
  if (called === null) return broken('no_visit');
  const answer = await bootstrap(apiOrigin, called.publishableKey, called.clientSecret);
  if (!answer.ok) return broken(answer.refusal.code, answer.refusal.requestId);
  const {
    embed_token: token,
    expires_at: expiresAt,
    expires_in: expiresIn,
    available,
    unavailable_reason: unavailableReason,
    unavailable_detail: unavailableDetail,
    flow,
    partner,
    session,
    capabilities,
    branding,
  } = answer.value;
  api = embedApi(apiOrigin, token, uploader);
  send({ type: 'clock_seen', leadMs: Date.parse(expiresAt) - expiresIn * 1000 - Date.now() });
  send({
    type: 'opened',
    opened: {
      available,
      unavailableReason,
      unavailableDetail: unavailableDetailOf(unavailableDetail),
      isBound: true,
      flow,
      capabilities,
      theme: called.theme,
      locale: null,
      partnerName: partner.display_name,
      branding,
      cancelUrl: session?.cancel_url ?? session?.return_url ?? null,
      config: { amount: null, currency: null, targetToken: null, targetNetwork: null, returnUrl: null },
    },
  });
}

function broken(code: string, requestId: string | null = null): void {
  send({ type: 'session_answered', answer: { ok: false, refusal: { code, fields: [], requestId } } });
}

function metaOf(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

function parsed(text: string): unknown {
  return text === '' ? null : JSON.parse(text);
}

function themeOfQuery(): 'light' | 'dark' | null {
  const theme = query.get('theme');
  return theme === 'light' || theme === 'dark' ? theme : null;
}
