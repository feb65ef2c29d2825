import { DocumentsStep } from '../screens/documents/documents-step.js';
import { OrderView } from '../screens/order/order-view.js';
import { BrokenView, EndedView, FailureView, SuccessView, UnavailableView } from '../screens/outcome/outcome-views.js';
import { PaymentView } from '../screens/payment/payment-view.js';
import { ProgressView } from '../screens/progress/progress-view.js';
import { LaterView, useLaterViews } from '../screens/later-view.js';
import { WalletView } from '../screens/wallet/wallet-view.js';
import type { Messages } from '../i18n/en.js';
import { PageFrame } from '../ui/page-frame.js';
import { Skeleton } from '../ui/skeleton.js';
import type { App } from './app.js';
import type { Send } from './run.js';

interface AppViewProps {
  readonly app: App;
  readonly t: Messages;
  readonly send: Send;
}

export function AppView({ app, t, send }: AppViewProps) {
  useLaterViews((app.terms?.saved.length ?? 0) > 0);
  return (
    <PageFrame app={app} t={t} send={send}>
      {/* A step of another kind is another step: its heading is new, and takes the focus. */}
      <div key={app.screen.at}>
        <ScreenView app={app} t={t} send={send} />
      </div>
    </PageFrame>
  );
}

function ScreenView({ app, t, send }: AppViewProps) {
  const { screen, terms, settings } = app;
  const props = { app, settings, t, send };
  switch (screen.at) {
    case 'opening':
    case 'resuming':
      return <Skeleton t={t} />;
    case 'order':
      return terms === null ? null : <OrderView {...props} screen={screen} terms={terms} />;
    case 'wallet':
      return terms === null ? null : <WalletView {...props} screen={screen} terms={terms} />;
    case 'payment':
      return terms === null ? null : <PaymentView {...props} screen={screen} terms={terms} />;
    case 'documents':
      return <DocumentsStep {...props} screen={screen} />;
    case 'code':
    case 'deposit':
    case 'identity':
    case 'transfer':
    case 'visit':
    case 'component':
      return terms === null ? null : <LaterView {...props} screen={screen} terms={terms} />;
    case 'progress':
      return <ProgressView {...props} screen={screen} />;
    case 'success':
      return <SuccessView {...props} screen={screen} />;
    case 'failure':
      return <FailureView {...props} screen={screen} />;
    case 'ended':
      return <EndedView {...props} screen={screen} />;
    case 'unavailable':
      return <UnavailableView {...props} screen={screen} />;
    case 'broken':
      return <BrokenView {...props} screen={screen} />;
  }
}
