import { documentSteps } from '../screens/documents/document-steps.js';
import { laterSteps } from '../screens/later-steps.js';
import { OrderView } from '../screens/order/order-view.js';
import { BrokenView, UnavailableView } from '../screens/outcome/closed-views.js';
import { PaymentView } from '../screens/payment/payment-view.js';
import { WalletView } from '../screens/wallet/wallet-view.js';
import type { AppViewProps } from '../ui/context.js';
import { Later, usePart } from '../ui/later.js';
import { PageFrame } from '../ui/page-frame.js';
import { Skeleton } from '../ui/skeleton.js';

export function AppView({ app, t, send }: AppViewProps) {
  usePart(laterSteps, (app.terms?.saved.length ?? 0) > 0);
  return (
    <PageFrame app={app} t={t} send={send}>
      {/* The key mounts a new heading for each kind of step, which takes the focus. */}
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
      return (
        <Later part={documentSteps} {...props}>
          {({ DocumentsView }) => <DocumentsView {...props} screen={screen} />}
        </Later>
      );
    case 'unavailable':
      return <UnavailableView {...props} screen={screen} />;
    case 'broken':
      return <BrokenView {...props} screen={screen} />;
    default:
      return (
        <Later part={laterSteps} {...props}>
          {({ StepView }) => <StepView {...props} />}
        </Later>
      );
  }
}
