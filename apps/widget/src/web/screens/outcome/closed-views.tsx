import type { Broken, Unavailable } from '../../app/screen.js';
import { MainButton } from '../../ui/buttons.js';
import { shopName, type ViewProps } from '../../ui/context.js';
import { Heading } from '../../ui/heading.js';
import { Refused } from '../../ui/refused.js';
import { mayReload } from './broken-state.js';
import { Outcome, ReturnLink } from './outcome.js';
import { unservedText } from './unserved-text.js';

export function UnavailableView(props: ViewProps<Unavailable>) {
  const { screen, settings, t } = props;
  return (
    <Outcome mark="quiet">
      <Heading>{t.unavailableTitle}</Heading>
      <p>{unservedText(screen.detail, settings.locale, t) ?? t.unavailable[screen.reason] ?? t.otherUnavailable}</p>
      <ReturnLink {...props} isPaid={false} />
    </Outcome>
  );
}

export function BrokenView(props: ViewProps<Broken>) {
  const { screen, settings, t, send } = props;
  const isReturned = screen.refusal.code === 'returned_elsewhere';
  const isReloading = mayReload(screen.refusal, settings, t);
  return (
    <Outcome mark="quiet">
      <Heading>{isReturned ? t.returnedTitle : t.brokenTitle}</Heading>
      {isReturned ? <p>{t.returnedText(shopName(settings, t))}</p> : <Refused refusal={screen.refusal} t={t} />}
      {isReloading && <MainButton onClick={() => send({ type: 'reloaded' })}>{t.tryAgain}</MainButton>}
      <ReturnLink {...props} isPaid={false} isMain={!isReloading} />
    </Outcome>
  );
}
