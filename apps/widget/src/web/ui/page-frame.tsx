import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isEnd, isOver, type App } from '../app/app.js';
import type { Send } from '../app/run.js';
import { exitOf } from '../app/exit.js';
import { type Progressed, stepOf } from '../app/step-of.js';
import type { Messages } from '../i18n/en.js';
import { CancelSheet } from './cancel-sheet.js';
import { ownerName, shopName } from './context.js';
import { CrossIcon, LockIcon } from './icons.js';

interface PageFrameProps {
  readonly app: App;
  readonly t: Messages;
  readonly send: Send;
  readonly children: ComponentChildren;
}

/** The frame of every step: the partner's name and logo, the test-mode badge, the progress and the links to leave. */
export function PageFrame({ app, t, send, children }: PageFrameProps) {
  const { settings, screen } = app;
  const logo = settings.branding?.logo_url ?? null;
  const hasWayOut = screen.at !== 'opening' && screen.at !== 'resuming' && !isOver(screen);
  const { isPaid, isShut, isCancellable } = exitOf(app);
  const isUnknown = settings.partnerName === null && screen.at === 'opening';
  const name = isUnknown ? '' : ownerName(settings, t);
  const step = stepOf(app);
  return (
    <div class={`frame frame-${settings.kind}`}>
      <div class="sheet">
        <header class="top">
          {isUnknown ? (
            <i class="initial bone" />
          ) : (
            <Mark key={logo} logo={logo} initial={[...name][0]?.toLocaleUpperCase(settings.locale) ?? ''} />
          )}
          <bdi class="shop">{name}</bdi>
          {settings.mode === 'test' && <span class="badge">{t.testMode}</span>}
          {hasWayOut && settings.kind === 'frame' && (
            <button type="button" class="close" aria-label={t.close} onClick={() => send({ type: 'closed' })}>
              <CrossIcon size={18} />
            </button>
          )}
        </header>
        <Steps step={step} t={t} />
        <main class="card">
          <div class="content">{children}</div>
        </main>
        {settings.kind === 'frame' && (
          <Foot app={app} t={t}>
            {hasWayOut && isCancellable && (
              <button type="button" class="link" disabled={isShut} onClick={() => send({ type: 'cancel_asked' })}>
                {t.cancelOrder}
              </button>
            )}
          </Foot>
        )}
      </div>
      {settings.kind === 'page' && (
        <Foot app={app} t={t}>
          {hasWayOut && !isEnd(screen) && (
            <button
              type="button"
              class="link"
              disabled={isShut}
              onClick={() => send({ type: isCancellable ? 'cancel_asked' : 'closed' })}
            >
              {(isPaid ? t.returnTo : t.cancelAndReturn)(shopName(settings, t))}
            </button>
          )}
        </Foot>
      )}
      {app.cancelling !== null && !isOver(screen) && <CancelSheet cancelling={app.cancelling} t={t} send={send} />}
    </div>
  );
}

/** The progress bar, one part for each step. Its space is reserved before the progress is known. */
function Steps({ step, t }: { readonly step: Progressed | null; readonly t: Messages }) {
  if (step === null) return <div class="steps" />;
  return (
    <div class="steps" role="img" aria-label={t.stepOf(step.at, step.of)}>
      {Array.from({ length: step.of }, (_, index) => (
        <span key={index} class={index < step.at ? 'is-done' : undefined} />
      ))}
    </div>
  );
}

/** The shop's logo, or the first letter of its name if there is no logo or it fails to load. */
function Mark({ logo, initial }: { readonly logo: string | null; readonly initial: string }) {
  const [isMissing, setMissing] = useState(false);
  if (logo !== null && !isMissing)
    return <img class="logo" src={logo} alt="" referrerpolicy="no-referrer" onError={() => setMissing(true)} />;
  return (
    <span class="initial" aria-hidden="true">
      {initial}
    </span>
  );
}

function Foot({ app, t, children }: Pick<PageFrameProps, 'app' | 't'> & { readonly children?: ComponentChildren }) {
  const support = app.settings.branding?.support_url ?? null;
  return (
    <footer class="foot">
      {children}
      {support !== null && (
        <a class="link" href={support} target="_blank" rel="noopener noreferrer">
          {t.support}
          <span class="unseen"> {t.inNewTab}</span>
        </a>
      )}
      <span class="secured quiet">
        <LockIcon /> {t.secured}
      </span>
    </footer>
  );
}
