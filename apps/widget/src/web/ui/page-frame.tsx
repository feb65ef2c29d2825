import type { ComponentChildren } from 'preact';
import type { App } from '../app/app.js';
import type { Send } from '../app/run.js';
import type { Messages } from '../i18n/en.js';
import { shopName } from './context.js';

interface PageFrameProps {
  readonly app: App;
  readonly t: Messages;
  readonly send: Send;
  readonly children: ComponentChildren;
}

/** What stands around every step: whose checkout it is, whether it is for real, and the way out. */
export function PageFrame({ app, t, send, children }: PageFrameProps) {
  const { settings, screen } = app;
  const logo = settings.branding?.logo_url ?? null;
  const isOver = ['success', 'ended', 'unavailable', 'broken', 'opening'].includes(screen.at);
  return (
    <div class={`frame frame-${settings.kind}`}>
      <header class="top">
        {logo !== null && <img class="logo" src={logo} alt="" referrerpolicy="no-referrer" />}
        <span class="shop">{shopName(settings, t)}</span>
        {settings.mode === 'test' && (
          <span class="badge" title={t.testModeHint}>
            {t.testMode}
          </span>
        )}
        {!isOver && settings.kind === 'frame' && (
          <button type="button" class="close" aria-label={t.close} onClick={() => send({ type: 'closed' })}>
            <span aria-hidden="true">×</span>
          </button>
        )}
      </header>
      <main class="card">{children}</main>
      <footer class="foot">
        {!isOver && settings.kind === 'page' && (
          <button type="button" class="link" onClick={() => send({ type: 'closed' })}>
            {t.cancelAndReturn(shopName(settings, t))}
          </button>
        )}
        <span class="quiet">{t.secured}</span>
      </footer>
    </div>
  );
}
