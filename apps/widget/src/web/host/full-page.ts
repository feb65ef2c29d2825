import type { Theme } from '../app/app.js';
import { themeOf } from './frame.js';
import { depthOf } from './step-history.js';

/**
 * The parameters of the full page. They are kept in the history entry of the tab, so that they survive a reload, and in session storage
 * only during a visit to a bank's page.
 */
export interface Visit {
  readonly clientSecret: string;
  readonly publishableKey: string;
  readonly theme: Theme | null;
  readonly locale: string | null;
}

/**
 * Reads the parameters from the URL and removes them before other code can see them. A reload restores them from the history entry. Null if
 * the page was opened without parameters.
 */
export function readVisit({ location, history }: Pick<Window, 'location' | 'history'>): Visit | null {
  // Partners that build the URL put the parameters into the fragment, which is never sent to a server or logged.
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

/** Reads a visit from a history entry or from session storage; null if there is none. */
export function keptVisit(state: unknown): Visit | null {
  if (typeof state !== 'object' || state === null || !('visit' in state)) return null;
  const { visit } = state;
  if (typeof visit !== 'object' || visit === null) return null;
  const { clientSecret, publishableKey, theme, locale }: Partial<Record<keyof Visit, unknown>> = visit;
  if (typeof clientSecret !== 'string' || typeof publishableKey !== 'string') return null;
  return { clientSecret, publishableKey, theme: themeOf(theme), locale: typeof locale === 'string' ? locale : null };
}
