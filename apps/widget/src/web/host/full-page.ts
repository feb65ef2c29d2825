import type { Theme } from '../app/app.js';
import { themeOf } from './frame.js';
import { depthOf } from './step-history.js';

/** What the full page was called with. It lives in the entry of the tab's history, so that a reload finds it; nowhere else. */
export interface Visit {
  readonly clientSecret: string;
  readonly publishableKey: string;
  readonly theme: Theme | null;
  readonly locale: string | null;
}

/** Reads the address and strips it before anything else can see it; a reload reads what was kept. Null: the buyer came on their own. */
export function readVisit({ location, history }: Pick<Window, 'location' | 'history'>): Visit | null {
  // A partner that builds the address puts them behind the #, which no server and no log ever sees.
  const query = new URLSearchParams(`${location.search.slice(1)}&${location.hash.slice(1)}`);
  const clientSecret = query.get('client_secret');
  const publishableKey = query.get('publishableKey');
  const called =
    clientSecret === null || publishableKey === null
      ? null
      : { clientSecret, publishableKey, theme: themeOf(query.get('theme')), locale: query.get('locale') };
  const visit = called ?? keptVisit(history.state);
  history.replaceState(visit === null ? null : { visit, depth: depthOf(history.state) }, '', location.pathname);
  return visit;
}

/** What a history entry, or a tab, kept of a visit; null for anything else. */
export function keptVisit(state: unknown): Visit | null {
  if (typeof state !== 'object' || state === null || !('visit' in state)) return null;
  const { visit } = state;
  if (typeof visit !== 'object' || visit === null) return null;
  const { clientSecret, publishableKey, theme, locale }: Partial<Record<keyof Visit, unknown>> = visit;
  if (typeof clientSecret !== 'string' || typeof publishableKey !== 'string') return null;
  return { clientSecret, publishableKey, theme: themeOf(theme), locale: typeof locale === 'string' ? locale : null };
}
