import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Send } from '../app/run.js';
import type { LaterPart } from '../host/later-part.js';
import type { Messages } from '../i18n/en.js';
import { MainButton } from './buttons.js';
import { Heading } from './heading.js';
import { Skeleton } from './skeleton.js';

/** Loads a part while it is wanted. `retry` is null unless loading has failed; it is also retried when the device comes online. */
export function usePart<Part>(
  part: LaterPart<Part>,
  isWanted = true,
): { readonly loaded: Part | null; readonly retry: (() => void) | null } {
  const [loaded, setLoaded] = useState(() => part.loaded());
  const [hasFailed, setHasFailed] = useState(false);
  const load = (): void => {
    setHasFailed(false);
    part.load().then(
      (all) => setLoaded(() => all),
      () => setHasFailed(true),
    );
  };
  useEffect(() => {
    if (!isWanted || loaded !== null) return;
    load();
    addEventListener('online', load);
    return () => removeEventListener('online', load);
  }, [isWanted, loaded]);
  return { loaded, retry: hasFailed ? load : null };
}

interface LaterProps<Part> {
  readonly part: LaterPart<Part>;
  readonly t: Messages;
  readonly send: Send;
  readonly children: (loaded: Part) => ComponentChildren;
}

/** Renders a step from a lazily loaded part: a skeleton until it has loaded, and an error with a retry button if loading fails. */
export function Later<Part>({ part, t, send, children }: LaterProps<Part>) {
  const { loaded, retry } = usePart(part);
  useEffect(() => {
    if (loaded !== null) send({ type: 'view_shown' });
  }, [loaded]);
  if (loaded !== null) return <>{children(loaded)}</>;
  return retry === null ? <Skeleton t={t} /> : <Lost t={t} retry={retry} />;
}

export function Lost({ t, retry }: { readonly t: Messages; readonly retry: () => void }) {
  return (
    <div class="step outcome">
      <Heading>{t.lostTitle}</Heading>
      <p role="alert">{t.refusals['unreachable']}</p>
      <MainButton onClick={retry}>{t.tryAgain}</MainButton>
    </div>
  );
}
