import type { App, AppEvent, Effect } from '../../src/web/app/app.js';
import { reduce } from '../../src/web/app/reduce.js';
import { readRoute } from '../../src/web/app/route.js';
import type { Me, Role } from '../../src/web/wire/types.js';
import type { ApiResult } from '../../src/web/wire/refusal.js';

/** A console that has loaded and does not know yet who is signed in. */
export const opening = (fragment = '#/home'): App => ({
  settings: { language: 'en', theme: null },
  door: { at: 'opening' },
  route: readRoute(fragment),
  loaded: {},
  search: { text: '', isOpen: false, found: null },
  form: null,
  isMenuOpen: false,
  ahead: { live: 0, scope: 0 },
  notice: null,
});

export const portal = (over: Partial<Me> = {}): Me => ({
  actor: { type: 'partner_user', id: 'ada@acme.example' },
  roles: ['viewer', 'support', 'developer', 'operator', 'admin'],
  kind: 'portal',
  partner: { id: 'acme', name: 'Acme' },
  mode: 'test',
  partners: [],
  features: {
    test_clock: false,
    checkout_preview: null,
    alarms: false,
    legs: false,
    wallets: false,
    trail: false,
    passkeys: false,
  },
  expires_at: null,
  ...over,
});

export const operator = (over: Partial<Me> = {}): Me =>
  portal({ kind: 'operator', partner: null, mode: null, partners: [{ id: 'acme', name: 'Acme' }], ...over });

export const rolesUpTo = (role: Role): readonly Role[] => {
  const all: readonly Role[] = ['viewer', 'support', 'developer', 'operator', 'admin'];
  return all.slice(0, all.indexOf(role) + 1);
};

export const ok = <Value>(value: Value): ApiResult<Value> => ({ ok: true, value });

export const refused = (status: number, code = 'some_code'): ApiResult<never> => ({
  ok: false,
  refusal: { status, code, message: 'No.', requestId: null },
});

/** A console after a history of events, with the effects of the last one. */
export function after(
  app: App,
  ...events: readonly AppEvent[]
): { readonly app: App; readonly effects: readonly Effect[] } {
  let change: { app: App; effects: readonly Effect[] } = { app, effects: [] };
  for (const event of events) change = reduce(change.app, event);
  return change;
}

/** A console on a page, signed in. */
export const inside = (fragment: string, me: Me = portal()): App =>
  after(opening(fragment), { type: 'entered', byCode: false, answer: ok(me) }).app;

export const pathsOf = (effects: readonly Effect[]): readonly string[] =>
  effects.flatMap((effect) => (effect.type === 'load' ? [effect.path] : []));
