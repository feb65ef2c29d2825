import { expect, it } from 'vitest';
import type { App } from '../src/web/app/app.js';
import { run, type Send } from '../src/web/app/run.js';
import { aSession, FIRST, OPENED } from './support/checkout.js';

it('processes an event sent during drawing only after drawing has finished', () => {
  const shown: string[] = [];
  let isDrawing = false;
  let send: Send | null = null;
  const show = ({ screen }: App): void => {
    expect(isDrawing).toBe(false);
    isDrawing = true;
    // A browser fires this when the focused field is removed.
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
    resolveName: null,
    show,
  });
  send({ type: 'opened', opened: OPENED });
  send({ type: 'session_answered', answer: { ok: true, value: aSession() } });
  expect(shown).toEqual(['opening', 'order']);
});
