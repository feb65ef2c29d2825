import type { Listeners } from './http/bind-listeners.js';

/** The one line on stdout by which a program knows that the server answers, and where. A listener this role does not have is null. */
export function readyLine(origins: Partial<Listeners['origins']>): string {
  const { sandbox, live, widget, sandboxWidget, pools, demo, ops } = origins;
  const at = (origin: string | undefined): string | null => origin ?? null;
  return JSON.stringify({
    event: 'ready',
    sandbox: at(sandbox),
    live: at(live),
    widget: at(widget),
    sandbox_widget: at(sandboxWidget),
    pools: at(pools),
    demo: at(demo),
    ops: at(ops),
  });
}
