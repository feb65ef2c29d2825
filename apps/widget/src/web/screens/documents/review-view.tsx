import type { Progress } from '../../app/screen.js';
import { QuietButton } from '../../ui/buttons.js';
import type { ViewProps } from '../../ui/context.js';
import { Heading } from '../../ui/heading.js';
import { ShieldIcon } from '../../ui/icons.js';
import { documentsText } from './documents-text.js';

type ReviewProps = Pick<ViewProps<Progress>, 'settings' | 't' | 'send'>;

/** Shown during the review of documents. The buyer has nothing to do, and can leave and return to this view. */
export function ReviewView({ settings, t, send }: ReviewProps) {
  const words = documentsText(settings.locale);
  return (
    <div class="review">
      <ShieldIcon />
      <Heading>{words.reviewTitle}</Heading>
      <p>{words.reviewText}</p>
      <p class="quiet">{words.reviewNote}</p>
      {settings.mode === 'test' && <p class="hint test-hint">{words.reviewTestHint}</p>}
      <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.cancelPayment}</QuietButton>
    </div>
  );
}
