import { usableLocale, withRegion } from '../i18n/messages.js';
import { reduceCode } from '../screens/code/code-state.js';
import { reduceAwaitedMoney } from '../screens/awaited-money.js';
import { reduceDocuments } from '../screens/documents/documents-state.js';
import { reduceDeposit } from '../screens/deposit/deposit-state.js';
import { reduceIdentity } from '../screens/identity/identity-state.js';
import { reduceOpening } from '../screens/opening/opening-state.js';
import { reduceResuming } from '../screens/opening/resuming-state.js';
import { reduceFailure } from '../screens/outcome/failure-state.js';
import { reduceOrder } from '../screens/order/order-state.js';
import { reducePayment } from '../screens/payment/payment-state.js';
import { pricing } from '../screens/payment/saved-cards-state.js';
import { reduceProgress } from '../screens/progress/progress-state.js';
import { askQuotes } from '../screens/quoting.js';
import { reduceComponent, reduceVisit } from '../screens/visit/visit-state.js';
import { reduceWallet } from '../screens/wallet/wallet-state.js';
import type { ApiResult } from '../wire/refusal.js';
import type { EmbedSession, SavedMethod, SavedMethods } from '../wire/types.js';
import { isOver, type App, type Config, type Opened, type Theme, type WidgetMessage } from './app.js';
import { reduceCancelling, type CancelEvent } from './cancelling.js';
import type { AppEffect, Reduced } from './effect.js';
import { go, stay, type Next, type ScreenEvent, type Stay } from './event.js';
import { enter } from './enter.js';
import { recalledDraft, type SavedForm } from './saved-form.js';
import type { Draft, Failed, FailedAttempt, Order, Payment, Screen, Success, Terms, Wallet } from './screen.js';
import { termsOf, termsWithoutSession } from './terms-of.js';
import { exitOf } from './exit.js';

export type AppEvent =
  | { readonly type: 'opened'; readonly opened: Opened }
  | { readonly type: 'themed'; readonly theme: Theme }
  | { readonly type: 'configured'; readonly config: Partial<Config> }
  | { readonly type: 'closed' }
  /** The buyer stops the automatic return to the shop. */
  | { readonly type: 'stayed' }
  /** The buyer reloads the page. */
  | { readonly type: 'reloaded' }
  /** The page has been visible for a while, or is visible again: another tab may have continued the payment. */
  | { readonly type: 'looked_again' }
  /** A response carried a timestamp of the service, `leadMs` ahead of this device's clock. */
  | { readonly type: 'clock_seen'; readonly leadMs: number }
  | CancelEvent
  /** The form of this session was restored after a reload. */
  | { readonly type: 'recalled'; readonly kept: SavedForm }
  | { readonly type: 'saved_answered'; readonly answer: ApiResult<SavedMethods> }
  | ScreenEvent;

/**
 * The reducer of the whole checkout: computes the new state and the effects of an event, without access to the clock, network or document.
 */
export function reduce(app: App, event: AppEvent): Reduced {
  switch (event.type) {
    case 'opened':
      return open(app, event.opened);
    case 'themed':
      return { app: { ...app, settings: { ...app.settings, theme: event.theme } }, effects: [] };
    case 'configured':
      return configure(app, event.config);
    case 'closed':
      return close(app);
    case 'stayed':
      return app.screen.at === 'success'
        ? { app: { ...app, screen: { ...app.screen, isReturning: false } }, effects: [] }
        : { app, effects: [] };
    case 'looked_again':
      if (app.screen.at === 'visit') return screenEvent(app, { type: 'may_be_back' });
      return { app, effects: isIdle(app) ? [{ do: 'read_session' }] : [] };
    case 'reloaded':
      return { app, effects: [{ do: 'reload' }] };
    case 'clock_seen':
      return { app: { ...app, leadMs: Math.max(app.leadMs, event.leadMs) }, effects: [] };
    case 'recalled':
      return { app: app.memory === null ? recalled(app, event.kept) : app, effects: [] };
    case 'cancel_asked':
    case 'cancel_withdrawn':
    case 'cancel_confirmed':
    case 'cancel_answered': {
      const next = reduceCancelling(app, event);
      return 'go' in next ? moved(next.app, next) : next;
    }
    case 'went_back':
      return screenEvent({ ...app, cancelling: null }, event);
    case 'session_answered':
      if (!event.answer.ok || app.opened === null || isOver(app.screen)) return screenEvent(app, event);
      return withSavedAsked(app.terms, screenEvent(withSession(app, app.opened, event.answer.value), event));
    case 'saved_answered':
      // A failed request counts as no saved cards: the buyer can still enter one.
      return moved(withSaved(app, event.answer.ok ? event.answer.value.data : []), stay<Screen>(app.screen));
    case 'saved_removed': {
      const isGone = event.answer.ok || event.answer.refusal.code === 'payment_method_not_found';
      const left = app.terms?.saved.filter(({ id }) => id !== event.id) ?? [];
      return screenEvent(isGone ? withSaved(app, left) : app, event);
    }
    default:
      return screenEvent(app, event);
  }
}

function open(app: App, opened: Opened): Reduced {
  // A page is opened once; a second opening could only come from another party.
  if (app.opened !== null) return { app, effects: [] };
  const settings = {
    ...app.settings,
    theme: opened.theme ?? app.settings.theme ?? opened.branding?.theme ?? null,
    locale: withRegion(usableLocale(opened.locale ?? '') ?? app.settings.locale, [app.settings.locale]),
    partnerName: opened.branding?.display_name ?? opened.partnerName ?? app.settings.partnerName,
    branding: opened.branding ?? app.settings.branding,
  };
  const next: App = { ...app, settings, opened };
  const ended = opened.unavailableReason === null ? null : endedBy(opened.unavailableReason);
  if (!opened.available && ended === null)
    return shown(
      {
        ...next,
        screen: {
          at: 'unavailable',
          reason: opened.unavailableReason ?? 'maintenance',
          detail: opened.unavailableDetail,
        },
      },
      app.screen,
    );
  if (opened.isBound) return { app: next, effects: [{ do: 'read_session' }] };
  const terms = termsWithoutSession(opened, opened.config);
  return moved({ ...next, terms }, enter({ ...next, terms }, { to: 'start' }));
}

function recalled(app: App, kept: SavedForm): App {
  return { ...app, memory: recalledDraft(kept), resumeAt: kept.step };
}

function withSession(app: App, opened: Opened, session: EmbedSession): App {
  const partnerName = opened.branding?.display_name ?? session.partner.display_name;
  const terms = { ...termsOf(opened, session), saved: app.terms?.saved ?? [] };
  return { ...app, terms, settings: { ...app.settings, partnerName } };
}

function withSaved(app: App, saved: readonly SavedMethod[]): App {
  return app.terms === null ? app : { ...app, terms: { ...app.terms, saved } };
}

/** Requests the saved cards once, together with the order, so that they are loaded before the step that shows them. */
function withSavedAsked(before: Terms | null, { app, effects }: Reduced): Reduced {
  const isAsked = before === null && app.terms !== null && mayHaveSaved(app.terms) && !isOver(app.screen);
  return { app, effects: isAsked ? [...effects, { do: 'list_saved' }] : effects };
}

/** A provider with its own card fields may not support saving, but another provider may hold saved cards. */
function mayHaveSaved({ savable, components }: Terms): boolean {
  return savable.length > 0 || components.some(({ wallet }) => wallet === null);
}

/** The final status of a session from its unavailability reason. An ended session is still read, because it has the return URL. */
function endedBy(reason: string): string | null {
  return /^session_(completed|cancelled|expired)$/.exec(reason)?.[1] ?? null;
}

/** Applies the page's configuration. It changes only terms that no session fixes, and only until the buyer leaves the order step. */
function configure(app: App, given: Partial<Config>): Reduced {
  const { opened, terms, screen } = app;
  if (opened === null) return { app, effects: [] };
  const config: Config = { ...opened.config, ...given };
  const next: App = { ...app, opened: { ...opened, config } };
  if (terms === null || terms.sessionId !== null || screen.at !== 'order') return { app: next, effects: [] };
  const changed = termsWithoutSession(opened, config);
  // The page's values replace what was typed.
  const fresh: Draft = { ...screen.draft, amount: null, currency: null, quotes: null, lapsesAt: null };
  const asked = askQuotes(changed, screen.draft.flow, fresh);
  return {
    app: { ...next, terms: changed, screen: { ...screen, errors: {}, draft: asked.draft } },
    effects: asked.effects,
  };
}

function close(app: App): Reduced {
  const { url, isShut } = exitOf(app);
  if (app.settings.kind === 'frame' || url === null)
    return { app, effects: [{ do: 'post', message: { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } } }] };
  return { app, effects: isShut ? [] : [{ do: 'leave', url }] };
}

/** Refusals that end the checkout on any screen. */
const TOKEN_IS_OVER: ReadonlySet<string> = new Set([
  'expired_embed_token',
  'invalid_embed_token',
  'missing_credential',
  'session_not_found',
  'session_required',
  'origin_not_allowed',
]);

function screenEvent(app: App, event: ScreenEvent): Reduced {
  if (app.screen.at === 'success') return { app, effects: returns(app, app.screen, event) };
  if (isOver(app.screen)) return { app, effects: [] };
  if ('answer' in event && !event.answer.ok && TOKEN_IS_OVER.has(event.answer.refusal.code))
    return shown({ ...app, screen: { at: 'broken', refusal: event.answer.refusal } }, app.screen);
  return moved(app, onScreen(app, event));
}

/** The automatic return of the full page. In a frame, the embedding page returns by itself. */
function returns(app: App, { isReturning }: Success, event: ScreenEvent): readonly AppEffect[] {
  const { url } = exitOf(app);
  const isDue = isReturning && event.type === 'elapsed' && event.timer === 'return';
  return isDue && url !== null ? [{ do: 'leave', url }] : [];
}

function onScreen(app: App, event: ScreenEvent): Next<Screen> {
  const { screen, terms } = app;
  if (terms === null) return screen.at === 'opening' ? reduceOpening(screen, event) : stay<Screen>(screen);
  return onScreenWithTerms(terms, screen, event);
}

/** Whether no request or payment is in progress on this page, so that only the session shows what happens elsewhere. */
function isIdle({ screen, terms }: App): boolean {
  return terms !== null && terms.sessionId !== null && isIdleScreen(screen);
}

function isIdleScreen(screen: Screen): screen is Order | Wallet | Payment | Failed {
  if (screen.at === 'payment') return !screen.form.isSending && !screen.isUnknown;
  return screen.at === 'order' || screen.at === 'wallet' || screen.at === 'failure';
}

function onScreenWithTerms(terms: Terms, screen: Screen, event: ScreenEvent): Next<Screen> {
  if (event.type === 'session_answered' && isIdleScreen(screen)) return lookedAgain(screen, event.answer);
  switch (screen.at) {
    case 'opening':
      return reduceOpening(screen, event);
    case 'resuming':
      return reduceResuming(terms, screen, event);
    case 'order':
      return reduceOrder(terms, screen, event);
    case 'wallet':
      return reduceWallet(terms, screen, event);
    case 'payment':
      return reducePayment(terms, screen, event);
    case 'identity':
      return reduceIdentity(screen, event);
    case 'documents':
      return reduceDocuments(screen, event);
    case 'code':
      return reduceCode(screen, event);
    case 'deposit':
      return reduceDeposit(screen, event);
    case 'transfer':
      return reduceAwaitedMoney(screen, event, 'bank_transfer');
    case 'visit':
      return reduceVisit(screen, event);
    case 'component':
      return reduceComponent(screen, event);
    case 'progress':
      return reduceProgress(screen, event);
    case 'failure':
      return reduceFailure(screen, event);
    case 'success':
    case 'ended':
    case 'unavailable':
    case 'broken':
      return stay<Screen>(screen);
  }
}

function lookedAgain(screen: Screen, answer: ApiResult<EmbedSession>): Next<Screen> {
  const hasGoneOn = answer.ok && (answer.value.status !== 'open' || answer.value.intent_id !== null);
  return hasGoneOn ? go({ to: 'session' }) : stay(screen);
}

/** Applies the result of a screen: follows its navigation and remembers the buyer's draft. */
function moved(app: App, next: Next<Screen>): Reduced {
  const memory = memoryOf(app);
  const left = 'go' in next ? next.effects : [];
  const arrived = 'go' in next ? enter({ ...app, memory }, next.go) : next;
  if ('go' in arrived) return moved({ ...app, memory }, { ...arrived, effects: [...left, ...arrived.effects] });
  const priced = pricedToPay(app.terms, arrived);
  const resumeAt = priced.state.at === 'opening' ? app.resumeAt : null;
  const { app: reached, effects } = shown({ ...app, memory, resumeAt, screen: priced.state }, app.screen);
  return { app: reached, effects: [...left, ...priced.effects, ...effects] };
}

/** Requests new quotes if the shown price is not from the provider that can charge the chosen card or wallet. */
function pricedToPay(terms: Terms | null, next: Stay<Screen>): Stay<Screen> {
  const { state, effects } = next;
  if (terms === null || !isIdleScreen(state) || state.at === 'failure') return next;
  const { saved_method, provider } = pricing(terms, state.draft);
  if (saved_method === state.draft.pricedFor && provider === state.draft.pricedBy) return next;
  const asked = askQuotes(terms, state.draft.flow, state.draft);
  return { state: { ...state, draft: asked.draft }, effects: [...effects, ...asked.effects] };
}

/** Keeps the deposit address that was shown, to reject it if the buyer enters it as their own. */
function memoryOf({ screen, memory }: App): Draft | null {
  if (screen.at !== 'deposit' || memory === null) return 'draft' in screen ? screen.draft : memory;
  const action = screen.intent.next_action;
  return action?.type === 'crypto_deposit' ? { ...memory, deposit: action.address } : memory;
}

/** How long the full page shows a success before it returns to the shop. */
export const RETURN_AFTER_MS = 5_000;

/** Notifies the embedding page of each outcome once. */
function shown(app: App, before: Screen): Reduced {
  if (app.screen.at === before.at && declinedAt(app.screen) === declinedAt(before)) return { app, effects: [] };
  const message = messageFor(app.screen);
  const posts: readonly AppEffect[] = message === null ? [] : [{ do: 'post', message }];
  if (app.screen.at !== 'success' || app.settings.kind === 'frame' || exitOf(app).url === null)
    return { app, effects: posts };
  const screen = { ...app.screen, isReturning: true };
  return { app: { ...app, screen }, effects: [...posts, { do: 'wait', timer: 'return', ms: RETURN_AFTER_MS }] };
}

const declinedAt = (screen: Screen): FailedAttempt | null => (screen.at === 'payment' ? screen.declined : null);

function failureMessage({ intent, failure: { code, message } }: FailedAttempt): WidgetMessage {
  return { type: 'PAYMENT_ERROR', payload: { code, message, intentId: intent.id } };
}

function messageFor(screen: Screen): WidgetMessage | null {
  switch (screen.at) {
    case 'success': {
      const { tx_refid: txId, session_id: sessionId, amount, currency } = screen.intent;
      return { type: 'PAYMENT_SUCCESS', payload: { txId, sessionId, amount, currency } };
    }
    case 'failure':
      return failureMessage(screen);
    case 'payment':
      return screen.declined === null ? null : failureMessage(screen.declined);
    case 'broken':
      return screen.refusal.code === 'expired_embed_token'
        ? { type: 'PAYMENT_CLOSE', payload: { reason: 'session_expired' } }
        : { type: 'PAYMENT_ERROR', payload: { code: screen.refusal.code, message: 'The checkout cannot go on.' } };
    case 'ended':
      return screen.status === 'completed'
        ? null
        : { type: 'PAYMENT_CLOSE', payload: { reason: screen.status === 'expired' ? 'session_expired' : 'unknown' } };
    default:
      return null;
  }
}
