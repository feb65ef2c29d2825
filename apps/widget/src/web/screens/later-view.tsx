import { useEffect, useState } from 'preact/hooks';
import type { Code, Component, Deposit, Identity, Transfer, Visit } from '../app/screen.js';
import type { TermedProps } from '../ui/context.js';
import type { ReceiptProps } from '../ui/receipt.js';
import type * as Later from './later-views.js';

type Screen = Code | Component | Deposit | Identity | Transfer | Visit;

let loaded: typeof Later | null = null;

/**
 * The views of saved cards and of what comes after the payment form, which the first step need not wait for. They are fetched as soon as
 * cards are listed, and by the form, so that they are there when they are shown, even if the connection is lost at that moment.
 */
export function useLaterViews(isWanted = true): typeof Later | null {
  const [views, setViews] = useState(loaded);
  useEffect(() => {
    if (isWanted) void import('./later-views.js').then((all) => setViews((loaded = all)));
  }, [isWanted]);
  return views;
}

export function LaterView({ screen, ...props }: TermedProps<Screen>) {
  const views = useLaterViews();
  if (views === null) return null;
  switch (screen.at) {
    case 'code':
      return <views.CodeView {...props} screen={screen} />;
    case 'component':
      return <views.ComponentView {...props} screen={screen} />;
    case 'deposit':
      return <views.DepositView {...props} screen={screen} />;
    case 'identity':
      return <views.IdentityView {...props} screen={screen} />;
    case 'transfer':
      return <views.TransferView {...props} screen={screen} />;
    case 'visit':
      return <views.VisitView {...props} screen={screen} />;
  }
}

export function LaterReceipt(props: ReceiptProps) {
  const views = useLaterViews();
  return views === null ? null : <views.Receipt {...props} />;
}
