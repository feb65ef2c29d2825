import { VERSION } from '@gateramp/core/http';
import type { Listeners } from './http/bind-listeners.js';

/** The line on stdout that tells programs that the server is ready, and its addresses. Listeners that this role lacks are null. */
export function readyLine(origins: Partial<Listeners['origins']>): string {
  const { sandbox, live, widget, sandboxWidget, pools, demo, ops, console } = origins;
  const at = (origin: string | undefined): string | null => origin ?? null;
  return JSON.stringify({
    event: 'ready',
    version: VERSION,
    sandbox: at(sandbox),
    live: at(live),
    widget: at(widget),
    sandbox_widget: at(sandboxWidget),
    pools: at(pools),
    demo: at(demo),
    ops: at(ops),
    console: at(console),
  });
}
