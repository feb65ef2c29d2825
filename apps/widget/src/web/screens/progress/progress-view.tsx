import type { Progress } from '../../app/screen.js';
import type { ViewProps } from '../../ui/context.js';
import { Heading } from '../../ui/heading.js';

export function ProgressView({ screen, t }: ViewProps<Progress>) {
  return (
    <div class="step">
      <Heading>{t.progressTitle}</Heading>
      <p>{t.progressText}</p>
      <div class="spinner spinner-big" aria-hidden="true" />
      <div role="status">{screen.isOffline && <p class="notice">{t.offline}</p>}</div>
    </div>
  );
}
