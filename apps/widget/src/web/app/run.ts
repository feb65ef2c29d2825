import type { Api } from '../wire/api.js';
import type { ApiResult } from '../wire/refusal.js';
import type { RecentAddress } from '../host/recent-addresses.js';
import type { Intent } from '../wire/types.js';
import type { App, WidgetMessage } from './app.js';
import type { IntentCall, Timer } from './event.js';
import type { SavedForm } from './saved-form.js';
import type { AppEffect } from './effect.js';
import { reduce, type AppEvent } from './reduce.js';

/** The environment of the checkout: the only access to network, clock and navigation. */
interface World {
  /** Null until the checkout has been opened. */
  api(): Api | null;
  now(): number;
  post(message: WidgetMessage): void;
  leave(url: string): void;
  /** Opens the bank's page. */
  visit(url: string): void;
  reload(): void;
  /** Returns the form of this session that was kept across a reload; null if there is none. */
  recall(sessionId: string): SavedForm | null;
  remember(addresses: readonly RecentAddress[]): void;
  /**
   * Resolves a name to its address on a network; null if it has none or the look-up failed. The function itself is null without a resolver.
   */
  readonly resolveName: ((name: string, network: string) => Promise<string | null>) | null;
  show(app: App): void;
}

export type Send = (event: AppEvent) => void;

/** Runs the reducer: applies events, shows each new state and performs its effects. */
export function run(first: App, world: World): Send {
  let app = first;
  const timers = new Map<Timer, ReturnType<typeof setTimeout>>();

  const waiting: AppEvent[] = [];
  let isRunning = false;

  /** Events are processed one at a time: while a new screen is drawn, a removed field fires its blur event. */
  const send: Send = (event) => {
    waiting.push(event);
    if (isRunning) return;
    isRunning = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) take(next);
    } finally {
      isRunning = false;
    }
  };

  const take = (event: AppEvent): void => {
    const next = reduce(app, event);
    app = next.app;
    world.show(app);
    for (const effect of next.effects) void perform(effect);
  };

  const waitUntil = (timer: Timer, at: number): void => {
    clearTimeout(timers.get(timer));
    const ms = Math.max(0, at - world.now());
    timers.set(
      timer,
      setTimeout(() => send({ type: 'elapsed', timer }), ms),
    );
  };

  const perform = async (effect: AppEffect): Promise<void> => {
    const api = world.api();
    switch (effect.do) {
      case 'wait':
        return waitUntil(effect.timer, world.now() + effect.ms);
      case 'wait_until':
        return waitUntil(effect.timer, effect.at);
      case 'post':
        return world.post(effect.message);
      case 'reload':
        return world.reload();
      case 'remember':
        return world.remember(effect.addresses);
      case 'resolve_name': {
        const { field, name, network } = effect;
        if (world.resolveName === null) return;
        send({ type: 'name_asked', field, name });
        const address = await world.resolveName(name, network);
        return send({ type: 'name_resolved', field, name, address });
      }
      case 'visit':
        return world.visit(effect.url);
      case 'leave':
        return world.leave(effect.url);
      default:
        if (api !== null) return ask(api, effect, { world, send });
    }
  };

  world.show(app);
  return send;
}

/** The dependencies of asynchronous effects. */
interface Around {
  readonly world: World;
  readonly send: Send;
}

type Ask = Exclude<
  AppEffect,
  { do: 'wait' | 'wait_until' | 'post' | 'reload' | 'remember' | 'resolve_name' | 'leave' | 'visit' }
>;

/** Calls the API and sends the answer as an event. */
async function ask(api: Api, effect: Ask, around: Around): Promise<void> {
  const { world, send } = around;
  switch (effect.do) {
    case 'read_session': {
      const answer = await api.session();
      const kept = answer.ok ? world.recall(answer.value.id) : null;
      if (kept !== null) send({ type: 'recalled', kept });
      return send({ type: 'session_answered', answer });
    }
    case 'ask_quotes': {
      const answer = await api.quotes(effect.body);
      if (answer.ok) seeClock(answer.value.rate_fetched_at, around);
      return send({ type: 'quotes_answered', ask: effect.ask, at: world.now(), answer });
    }
    case 'create_intent':
      return answerIntent('create', api.createIntent(effect.body), around);
    case 'read_intent':
      return answerIntent('read', api.intent(effect.id), around);
    case 'confirm_intent':
      return answerIntent('confirm', api.confirm(effect.id, effect.body), around);
    case 'cancel_intent':
      return answerIntent('cancel', api.cancel(effect.id), around);
    case 'upload_document': {
      const { id, side, file } = effect;
      const answer = await api.upload(id, side, file, (share) => send({ type: 'upload_progressed', side, share }));
      return send({ type: 'upload_answered', side, answer });
    }
    case 'list_saved':
      return send({ type: 'saved_answered', answer: await api.savedMethods() });
    case 'remove_saved':
      return send({ type: 'saved_removed', id: effect.id, answer: await api.removeSaved(effect.id) });
    case 'cancel_session':
      return send({ type: 'cancel_answered', answer: await api.cancelSession() });
  }
}

async function answerIntent(call: IntentCall, asked: Promise<ApiResult<Intent>>, around: Around): Promise<void> {
  const answer = await asked;
  if (answer.ok) seeClock(answer.value.updated_at, around);
  around.send({ type: 'intent_answered', call, answer });
}

function seeClock(stamp: string, { world, send }: Around): void {
  send({ type: 'clock_seen', leadMs: Date.parse(stamp) - world.now() });
}
