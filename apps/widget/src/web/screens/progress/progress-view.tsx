import type { Progress } from '../../app/screen.js';
import type { ViewProps } from '../../ui/context.js';
import { documentSteps } from '../documents/document-steps.js';
import { Heading } from '../../ui/heading.js';
import { Later } from '../../ui/later.js';
import { TransactionLink } from '../../ui/receipt.js';
import { StageList } from '../../ui/stage-list.js';
import { ElsewhereView } from './elsewhere-view.js';
import { knownStages } from './known-stages.js';
import { isElsewhere, isInReview } from './progress-state.js';

export function ProgressView({ screen, settings, t, send }: ViewProps<Progress>) {
  const stages = knownStages(screen.intent);
  const current = stages.find(({ status }) => status === 'processing');
  return (
    <div class="step">
      {isElsewhere(screen.intent) ? (
        <ElsewhereView intent={screen.intent} t={t} />
      ) : isInReview(screen.intent) ? (
        <Later part={documentSteps} t={t} send={send}>
          {({ ReviewView }) => <ReviewView settings={settings} t={t} send={send} />}
        </Later>
      ) : (
        <>
          <Heading>{t.progressTitle}</Heading>
          <p class="quiet">{t.progressText}</p>
          <StageList {...screen.intent} stages={stages} locale={settings.locale} t={t} />
          <TransactionLink transaction={screen.intent.transaction} t={t} />
        </>
      )}
      <div role="status">
        <p class="unseen">{current === undefined ? '' : (t.stages[current.type] ?? '')}</p>
        {screen.isOffline && <p class="notice">{t.offline}</p>}
      </div>
    </div>
  );
}
