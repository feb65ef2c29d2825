import { useEffect, useState } from 'preact/hooks';
import { RETURN_AFTER_MS } from '../../app/reduce.js';
import type { Ended, Failed, Success } from '../../app/screen.js';
import type { Messages } from '../../i18n/en.js';
import { durationText } from '../../i18n/duration.js';
import { MainButton, QuietButton } from '../../ui/buttons.js';
import { shopName, type ViewProps } from '../../ui/context.js';
import { Heading } from '../../ui/heading.js';
import { Receipt } from '../../ui/receipt.js';
import type { Failure } from '../../wire/types.js';
import { Outcome, ReturnLink } from './outcome.js';

export function SuccessView(props: ViewProps<Success>) {
  const { screen, settings, t } = props;
  const { flow } = screen.intent;
  return (
    <Outcome mark="good">
      {/* The button to stay disappears when it is pressed, so a new heading is mounted, which takes the focus. */}
      <Heading key={String(screen.isReturning)}>{t.successTitle}</Heading>
      <p>{t.successText[flow]}</p>
      <p class="quiet">{t.successNote(shopName(settings, t))}</p>
      <ReturnLink {...props} isPaid />
      {screen.isReturning && <Returning {...props} />}
      <Receipt intent={screen.intent} locale={settings.locale} t={t} />
    </Outcome>
  );
}

/** Announces the automatic return to the shop and lets the buyer stay. Screen readers announce it once, not each second. */
function Returning({ settings, t, send }: ViewProps<Success>) {
  const [seconds, setSeconds] = useState(RETURN_AFTER_MS / 1000);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((left) => Math.max(0, left - 1)), 1000);
    return () => clearInterval(timer);
  }, []);
  const sentence = (left: number): string => t.returning(shopName(settings, t), durationText(left, settings.locale));
  return (
    <>
      <p class="quiet" role="timer" aria-hidden="true">
        {sentence(seconds)}
      </p>
      <p class="unseen" role="status">
        {sentence(RETURN_AFTER_MS / 1000)}
      </p>
      <QuietButton onClick={() => send({ type: 'stayed' })}>{t.stay}</QuietButton>
    </>
  );
}

export function FailureView(props: ViewProps<Failed>) {
  const { screen, settings, t, send } = props;
  const { failure, wayOn } = screen;
  return (
    <Outcome mark="bad">
      <Heading>{t.failureTitle}</Heading>
      <p role="alert">{t.failures[failure.code] ?? t.otherFailure}</p>
      <p class="quiet">
        {wayOn === null ? t.noWayOn : t.stillOpen} {moneyNote(failure, t)}
      </p>
      {wayOn !== null && <MainButton onClick={() => send({ type: 'retried' })}>{t.waysOn[wayOn]}</MainButton>}
      {/* In other cases the footer of the full page has the link. */}
      {(wayOn === null || settings.kind === 'frame') && (
        <ReturnLink {...props} isPaid={false} isMain={wayOn === null} />
      )}
    </Outcome>
  );
}

function moneyNote({ code, stage }: Failure, t: Messages): string {
  if (UNFIT_DEPOSITS.has(code)) return t.sentBack;
  return BEFORE_MONEY_MOVES.has(stage) ? t.notCharged : '';
}

/** Failures of deposits that arrived but could not be used. */
const UNFIT_DEPOSITS: ReadonlySet<string> = new Set([
  'deposit_short',
  'deposit_late',
  'deposit_wrong_asset',
  'deposit_price_moved',
]);

/** The stages that fail without a charge. After a failure in a later stage the money is returned. */
const BEFORE_MONEY_MOVES: ReadonlySet<string> = new Set(['kyc', 'screening', 'payment']);

export function EndedView(props: ViewProps<Ended>) {
  const { screen, settings, t } = props;
  return (
    <Outcome mark={screen.status === 'completed' ? 'good' : 'quiet'}>
      <Heading>{t.endedTitle[screen.status]}</Heading>
      <p>{t.endedText[screen.status]}</p>
      <ReturnLink {...props} isPaid={screen.status === 'completed'} />
      {screen.settled !== null && <Receipt intent={screen.settled} locale={settings.locale} t={t} />}
    </Outcome>
  );
}
