import type { AppViewProps } from '../ui/context.js';
import { CodeView } from './code/code-view.js';
import { DepositView } from './deposit/deposit-view.js';
import { IdentityView } from './identity/identity-view.js';
import { EndedView, FailureView, SuccessView } from './outcome/outcome-views.js';
import { ProgressView } from './progress/progress-view.js';
import { TransferView } from './transfer/transfer-view.js';
import { ComponentView } from './visit/component-view.js';
import { VisitView } from './visit/visit-view.js';

export { RemoveSheet, SavedCards } from './payment/saved-cards.js';

/** The steps after the payment form. */
export function StepView({ app, t, send }: AppViewProps) {
  const { screen, terms, settings } = app;
  const props = { app, settings, t, send };
  switch (screen.at) {
    case 'code':
      return <CodeView {...props} screen={screen} />;
    case 'deposit':
      return <DepositView {...props} screen={screen} />;
    case 'identity':
      return <IdentityView {...props} screen={screen} />;
    case 'transfer':
      return <TransferView {...props} screen={screen} />;
    case 'visit':
      return <VisitView {...props} screen={screen} />;
    case 'component':
      return terms === null ? null : <ComponentView {...props} screen={screen} terms={terms} />;
    case 'progress':
      return <ProgressView {...props} screen={screen} />;
    case 'success':
      return <SuccessView {...props} screen={screen} />;
    case 'failure':
      return <FailureView {...props} screen={screen} />;
    case 'ended':
      return <EndedView {...props} screen={screen} />;
    default:
      return null;
  }
}
