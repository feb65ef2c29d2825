import { keptVisit, type Visit } from './full-page.js';

const KEY = 'gate:visit';
const WINDOW = 'popup,width=480,height=720';
const LOOK_EVERY_MS = 500;

/** Leaves the full page for the bank's. What it was called with is kept in this tab until the buyer is back. */
export function leaveForVisit(url: string, visit: Visit | null): void {
  try {
    if (visit !== null) sessionStorage.setItem(KEY, JSON.stringify(visit));
  } catch {
    // Storage is shut: the buyer comes back by the shop.
  }
  location.assign(url);
}

/** What the full page was called with before it was left for a visit. It is read once, and a reload finds it in the history. */
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

/** The bank's page in a window of its own, since it refuses to be framed. `onBack` once that is closed. */
export function visitInWindow(url: string, onBack: () => void): void {
  const opened = window.open(url, '_blank', WINDOW);
  if (opened === null) return;
  const timer = setInterval(() => {
    if (!opened.closed) return;
    clearInterval(timer);
    onBack();
  }, LOOK_EVERY_MS);
}
