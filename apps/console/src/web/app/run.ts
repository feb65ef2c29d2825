import { call, type Call } from '../wire/api.js';
import type { ApiResult } from '../wire/refusal.js';
import type { Doors, Found, Identity, List, Me } from '../wire/types.js';
import type { App, AppEvent, Effect, Settings } from './app.js';
import { reduce } from './reduce.js';

export type Send = (event: AppEvent) => void;

/** What the page around offers. */
export interface World {
  readonly call: (call: Call) => Promise<ApiResult<unknown>>;
  readonly show: (app: App) => void;
  readonly replace: (href: string) => void;
  readonly keep: (settings: Settings) => void;
  readonly copy: (text: string) => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly passkeys: Passkeys;
}

type Ask = World['call'];

/** The passkeys of this device. Null if the person has not gone through with it. */
export interface Passkeys {
  use(ask: Ask, isReplacing: boolean): Promise<ApiResult<unknown> | null>;
  make(ask: Ask, code: string): Promise<ApiResult<unknown> | null>;
  /** Makes one for the person who is signed in, and sends it with this call. */
  add(ask: Ask, call: Call): Promise<ApiResult<unknown> | null>;
}

/** A search is sent once nothing was typed for this long. */
const TYPING_MS = 150;

const DOORS: Call = { method: 'GET', path: 'doors' };

export const browserCall = call;

/** Runs the console: takes events one after another, shows every state and performs the effects. */
export function run(first: App, world: World): Send {
  let app = first;
  const queue: AppEvent[] = [];
  let isBusy = false;

  const send: Send = (event) => {
    queue.push(event);
    if (isBusy) return;
    isBusy = true;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const change = reduce(app, next);
      app = change.app;
      world.show(app);
      for (const effect of change.effects) void perform(effect, world, send, () => app);
    }
    isBusy = false;
  };
  return send;
}

async function perform(effect: Effect, world: World, send: Send, now: () => App): Promise<void> {
  switch (effect.type) {
    case 'enter':
      return enter(effect.code, world, send);
    case 'replace_session': {
      const body = { code: effect.code, replace: true };
      return send(enteredBy('code', await world.call({ method: 'POST', path: 'session', body })));
    }
    case 'ask_doors':
      // The casts of answers hold by the contract of the API.
      return send({ type: 'doors_answered', answer: (await world.call(DOORS)) as ApiResult<Doors> });
    case 'use_passkey': {
      const current = effect.isReplacing ? null : await openSession(world);
      if (current !== null)
        return send({ type: 'session_found', question: { at: 'asking', code: null, current, link: null } });
      const answer = await world.passkeys.use(world.call, effect.isReplacing);
      return answer === null ? undefined : send({ type: 'passkey_answered', answer: answer as ApiResult<Me> });
    }
    case 'make_passkey': {
      const answer = await world.passkeys.make(world.call, effect.code);
      return answer === null ? undefined : send({ type: 'enrolled', answer });
    }
    case 'load': {
      const answer = await world.call({ method: 'GET', path: effect.path });
      return send({ type: 'answered', need: effect.need, answer });
    }
    case 'search': {
      await world.wait(TYPING_MS);
      const { isOpen, text } = now().search;
      if (!isOpen || text !== effect.text) return undefined;
      const answer = await world.call({ method: 'GET', path: effect.path });
      if (!answer.ok) return send({ type: 'search_answered', text: effect.text, answer });
      // The cast holds by the contract of the API.
      const { data, has_more: isPartial } = answer.value as List<Found>;
      return send({ type: 'search_answered', text: effect.text, answer: { ok: true, value: data }, isPartial });
    }
    case 'send':
      return send({ type: 'form_answered', call: effect.call, answer: await world.call(effect.call) });
    case 'add_passkey': {
      const answer = (await world.passkeys.add(world.call, effect.call)) ?? NO_PASSKEY;
      return send({ type: 'form_answered', call: effect.call, answer });
    }
    case 'replace':
      return world.replace(effect.href);
    case 'keep':
      return world.keep(effect.settings);
    case 'copy':
      return world.copy(effect.text);
    case 'leave':
      return send({ type: 'sign_out_answered', answer: await world.call({ method: 'DELETE', path: 'session' }) });
  }
}

const NO_PASSKEY = {
  ok: false,
  refusal: { status: 0, code: 'no_passkey', message: '', requestId: null },
} as const;

/** Whose session is open in this browser, as far as that can be read. */
async function openSession(world: World): Promise<Identity | null> {
  const found = await world.call({ method: 'GET', path: 'session' });
  // The cast holds by the contract of the API.
  return found.ok ? (found.value as { readonly current: Identity | null }).current : null;
}

/** Exchanges an invite if there is one, unless a session is open; else reads who is signed in. */
async function enter(code: string | null, world: World, send: Send): Promise<void> {
  if (code === null) return send(enteredBy('session', await world.call({ method: 'GET', path: 'me' })));
  // Of `me`, a 401 would be logged as an error by the browser at every sign-in.
  const found = await world.call({ method: 'GET', path: 'session' });
  if (!found.ok) return send(enteredBy('code', found));
  // The casts hold by the contract of the API.
  const { current } = found.value as { readonly current: Identity | null };
  if (current === null)
    return send(enteredBy('code', await world.call({ method: 'POST', path: 'session', body: { code } })));
  const read = await world.call({ method: 'POST', path: 'session/link', body: { code } });
  if (!read.ok && read.refusal.status !== 401) return send(enteredBy('code', read));
  const link = read.ok ? (read.value as Identity) : null;
  send({ type: 'session_found', question: { at: 'asking', code, current, link } });
}

// The cast holds by the contract of the API.
const enteredBy = (way: 'code' | 'session', answer: ApiResult<unknown>) =>
  ({ type: 'entered', byCode: way === 'code', answer: answer as ApiResult<Me> }) as const;
