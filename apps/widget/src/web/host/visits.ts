import { keptVisit, type Visit } from './full-page.js';

const KEY = 'gate:visit';
const WINDOW = 'popup,width=480,height=720';
const LOOK_EVERY_MS = 500;

/** Leaves the full page for the bank's page. Its parameters are stored in this tab until the buyer returns. */
export function leaveForVisit(url: string, visit: Visit | null): void {
  try {
    if (visit !== null) sessionStorage.setItem(KEY, JSON.stringify(visit));
  } catch {
    // Storage is blocked: the buyer has to return through the shop.
  }
  location.assign(url);
}

/** The parameters of the full page before it left for the bank's page. They are read once and moved to the history entry, for reloads. */
export function leftVisit({ location, history }: Pick<Window, 'location' | 'history'>): Visit | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    sessionStorage.removeItem(KEY);
    const visit = keptVisit({ visit: kept });
    if (visit !== null) history.replaceState({ visit }, '', location.pathname);
    return visit;
  } catch {
    return null;
  }
}

/**
 * Opens the bank's page in a new window, since it refuses to be framed, and reports if the browser blocks that. `gone` says that the
 * window is closed or that its page has cut the connection to this one: a page with a Cross-Origin-Opener-Policy looks closed at once.
 */
export function visitInWindow(url: string, on: { readonly blocked: () => void; readonly gone: () => void }): void {
  const opened = window.open(url, '_blank', WINDOW);
  if (opened === null) return on.blocked();
  const timer = setInterval(() => {
    if (!opened.closed) return;
    clearInterval(timer);
    on.gone();
  }, LOOK_EVERY_MS);
}
