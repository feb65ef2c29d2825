import type { ComponentChildren } from 'preact';
import { shopName, type ViewProps } from '../../ui/context.js';
import { CrossIcon, DashIcon, TickIcon } from '../../ui/icons.js';

interface ReturnLinkProps extends Pick<ViewProps<unknown>, 'app' | 'settings' | 't'> {
  /** Whether the order was paid. Unpaid buyers return to the cancel URL, if there is one. */
  readonly isPaid: boolean;
  readonly isMain?: boolean;
}

/** The link back to the shop. In a frame it navigates the top window. */
export function ReturnLink({ app, settings, t, isPaid, isMain = true }: ReturnLinkProps) {
  const { terms, opened } = app;
  const unpaid = isPaid ? null : (terms?.cancelUrl ?? (terms === null ? opened?.cancelUrl : null));
  const url = unpaid ?? terms?.returnUrl ?? opened?.config.returnUrl ?? null;
  if (url === null) return null;
  return (
    <a class={`button ${isMain ? 'button-main' : 'button-quiet'}`} href={url} target="_top" rel="noreferrer">
      {t.returnTo(shopName(settings, t))}
    </a>
  );
}

export function Outcome({
  mark,
  children,
}: {
  readonly mark: 'good' | 'bad' | 'quiet';
  readonly children: ComponentChildren;
}) {
  return (
    <div class="step outcome">
      <span class={`mark mark-${mark}`}>
        {mark === 'good' && <TickIcon size={32} />}
        {mark === 'bad' && <CrossIcon size={32} />}
        {mark === 'quiet' && <DashIcon size={32} />}
      </span>
      {children}
    </div>
  );
}
