import { call, type Call } from '../wire/api.js';
import type { ApiResult } from '../wire/refusal.js';
import type { Doors, Found, Me } from '../wire/types.js';
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
  readonly passkeys: Passkeys;
}

type Ask = World['call'];

/** The passkeys of this device. Null if the person has not gone through with it. */
export interface Passkeys {
  use(ask: Ask): Promise<ApiResult<unknown> | null>;
  make(ask: Ask, code: string): Promise<ApiResult<unknown> | null>;
}

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
      for (const effect of change.effects) void perform(effect, world, send);
    }
    isBusy = false;
  };
  return send;
}

async function perform(effect: Effect, world: World, send: Send): Promise<void> {
  switch (effect.type) {
    case 'enter':
      return enter(effect.code, world, send);
    case 'ask_doors':
      // The casts of answers hold by the contract of the API.
      return send({ type: 'doors_answered', answer: (await world.call(DOORS)) as ApiResult<Doors> });
    case 'use_passkey': {
      const answer = await world.passkeys.use(world.call);
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
      const answer = await world.call({ method: 'GET', path: effect.path });
      // The cast holds by the contract of the API.
      const found = answer.ok
        ? { ok: true as const, value: (answer.value as { readonly data: readonly Found[] }).data }
        : answer;
      return send({ type: 'search_answered', text: effect.text, answer: found });
    }
    case 'send':
      return send({ type: 'form_answered', call: effect.call, answer: await world.call(effect.call) });
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

/** Exchanges an invite if there is one, else reads who is signed in. */
async function enter(code: string | null, world: World, send: Send): Promise<void> {
  const answer = await world.call(
    code === null ? { method: 'GET', path: 'me' } : { method: 'POST', path: 'session', body: { code } },
  );
  // The cast holds by the contract of the API.
  send({ type: 'entered', byCode: code !== null, answer: answer as ApiResult<Me> });
}
