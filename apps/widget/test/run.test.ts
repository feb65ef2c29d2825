import { describe, expect, it } from 'vitest';
import type { App } from '../src/web/app/app.js';
import { run, type Send } from '../src/web/app/run.js';
import { termsOf } from '../src/web/app/terms-of.js';
import type { Api } from '../src/web/wire/api.js';
import type { Intent } from '../src/web/wire/types.js';
import { anIntent, aSession, DEPOSIT, FIRST, OPENED, refusedBy } from './support/checkout.js';

it('takes what happens while a screen is being drawn after that, and not within', () => {
  const shown: string[] = [];
  let isDrawing = false;
  let send: Send | null = null;
  const show = ({ screen }: App): void => {
    expect(isDrawing).toBe(false);
    isDrawing = true;
    // As a browser does when the field that has the focus goes.
    if (shown.at(-1) !== screen.at) {
      shown.push(screen.at);
      send?.({ type: 'left_field', field: 'wallet' });
    }
    isDrawing = false;
  };
  const nothing = (): void => undefined;
  send = run(FIRST, {
    api: () => null,
    now: () => 0,
    post: nothing,
    leave: nothing,
    reload: nothing,
    visit: nothing,
    recall: () => null,
    remember: () => undefined,
    resolveName: () => Promise.resolve(null),
    show,
  });
  send({ type: 'opened', opened: OPENED });
  send({ type: 'session_answered', answer: { ok: true, value: aSession() } });
  expect(shown).toEqual(['opening', 'order']);
});

describe('leaving an attempt that waits for the buyer', () => {
  it('ends it first', async () => {
    expect(await leftWith({ ok: true, value: anIntent({ id: 'i1', status: 'cancelled' }) })).toEqual({
      cancelled: ['i1'],
      left: ['https://shop.example/done'],
      at: 'deposit',
    });
  });

  it('shows how far it is, and does not leave, where it has been paid in another tab', async () => {
    expect(await leftWith(refusedBy('session_processing'))).toEqual({ cancelled: ['i1'], left: [], at: 'progress' });
  });

  it('leaves also without an answer: it ends by itself', async () => {
    expect((await leftWith(refusedBy('unreachable'))).left).toHaveLength(1);
  });
});

/** Presses the way out at a deposit; the service answers the cancelling so. By then the intent is processing. */
async function leftWith(answer: Awaited<ReturnType<Api['cancel']>>) {
  const waiting = anIntent({ id: 'i1', status: 'requires_action', next_action: DEPOSIT });
  const value: Intent = { ...waiting, status: 'processing', next_action: null };
  const cancelled: string[] = [];
  const left: string[] = [];
  const shown: App[] = [];
  const unasked = () => Promise.reject(new Error('Nothing else is asked for.'));
  const api: Api = {
    session: () => Promise.resolve({ ok: true, value: aSession({ intent_id: 'i1' }) }),
    intent: () => Promise.resolve({ ok: true, value }),
    cancel: (id) => (cancelled.push(id), Promise.resolve(answer)),
    quotes: unasked,
    createIntent: unasked,
    confirm: unasked,
  };
  const settings = { ...FIRST.settings, kind: 'page' } as const;
  const terms = { opened: OPENED, terms: termsOf(OPENED, aSession()) };
  const first: App = { ...FIRST, ...terms, settings, screen: { ...DEPOSIT_SCREEN, intent: waiting } };
  const send = run(first, {
    api: () => api,
    now: () => 0,
    post: () => undefined,
    leave: (url) => void left.push(url),
    reload: () => undefined,
    visit: () => undefined,
    recall: () => null,
    remember: () => undefined,
    resolveName: () => Promise.resolve(null),
    show: (app) => void shown.push(app),
  });
  send({ type: 'closed' });
  await new Promise((resolve) => setImmediate(resolve));
  return { cancelled, left, at: shown.at(-1)?.screen.at };
}

const DEPOSIT_SCREEN = { at: 'deposit', until: 0, isLate: false, polls: 0, isSending: false, refusal: null } as const;
