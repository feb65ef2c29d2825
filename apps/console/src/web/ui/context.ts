import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { namedScopeOf, nowOf, type App } from '../app/app.js';
import { hrefOf, type PageName, type Query } from '../app/route.js';
import type { Send } from '../app/run.js';
import type { Messages } from '../i18n/en.js';
import type { Ahead } from '../wire/refusal.js';

/** What every view needs. */
export interface Ui {
  readonly app: App;
  readonly t: Messages;
  readonly send: Send;
}

export const UiContext = createContext<Ui | null>(null);

export interface UiAtHand extends Ui {
  readonly locale: string;
  /** The address of a page, in the partner and mode that are shown. */
  readonly to: (name: PageName, id?: string | null, query?: Query) => string;
  /** The time in epoch milliseconds, by a clock of the server. */
  readonly now: (clock?: keyof Ahead) => number;
}

export function useUi(): UiAtHand {
  const ui = useContext(UiContext);
  if (ui === null) throw new Error('A view is outside of the console.');
  const { app } = ui;
  return {
    ...ui,
    locale: app.settings.language,
    to: (name, id, query) => hrefOf(namedScopeOf(app), name, id, query),
    now: (clock = 'scope') => nowOf(app, clock, Date.now()),
  };
}
