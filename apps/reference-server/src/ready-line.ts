import type { Listeners } from './http/bind-listeners.js';

/** The one line on stdout by which a program knows that the server answers, and where. */
export function readyLine({ sandbox, live, widget, sandboxWidget, pools, demo, ops }: Listeners['origins']): string {
  return JSON.stringify({ event: 'ready', sandbox, live, widget, sandbox_widget: sandboxWidget, pools, demo, ops });
}
