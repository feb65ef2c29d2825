import type { ComponentChildren } from 'preact';
import type { Broken, Ended, Failed, Success, Unavailable } from '../../app/screen.js';
import { MainButton } from '../../ui/buttons.js';
import { shopName, type ViewProps } from '../../ui/context.js';
import { Heading } from '../../ui/heading.js';
import { CrossIcon, DashIcon, TickIcon } from '../../ui/icons.js';
import { Row } from '../../ui/price-box.js';
import { Refused } from '../../ui/refused.js';

/** Leads out of the frame too: the page that showed the checkout is where the buyer came from. */
function ReturnLink({ app, settings, t }: Pick<ViewProps<unknown>, 'app' | 'settings' | 't'>) {
  const url = app.terms?.returnUrl ?? app.opened?.config.returnUrl ?? null;
  if (url === null) return null;
  return (
    <a class="button button-main" href={url} target="_top" rel="noreferrer">
      {t.returnTo(shopName(settings, t))}
    </a>
  );
}

function Outcome({
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

export function SuccessView(props: ViewProps<Success>) {
  const { screen, settings, t } = props;
  return (
    <Outcome mark="good">
      <Heading>{t.successTitle}</Heading>
      <p>{t.successText[screen.intent.flow]}</p>
      <p class="quiet">{t.successNote(shopName(settings, t))}</p>
      <dl class="rows">
        <Row title={t.reference} value={screen.intent.tx_refid} />
      </dl>
      <ReturnLink {...props} />
    </Outcome>
  );
}

export function FailureView(props: ViewProps<Failed>) {
  const { screen, t, send } = props;
  return (
    <Outcome mark="bad">
      <Heading>{t.failureTitle}</Heading>
      <p role="alert">{t.failures[screen.failure.code] ?? t.otherFailure}</p>
      <p class="quiet">{t.stillOpen}</p>
      <MainButton onClick={() => send({ type: 'retried' })}>{t.tryAgain}</MainButton>
    </Outcome>
  );
}

export function EndedView(props: ViewProps<Ended>) {
  const { screen, t } = props;
  return (
    <Outcome mark={screen.status === 'completed' ? 'good' : 'quiet'}>
      <Heading>{t.endedTitle[screen.status]}</Heading>
      <p>{t.endedText[screen.status]}</p>
      <ReturnLink {...props} />
    </Outcome>
  );
}

export function UnavailableView(props: ViewProps<Unavailable>) {
  const { screen, t } = props;
  return (
    <Outcome mark="quiet">
      <Heading>{t.unavailableTitle}</Heading>
      <p>{t.unavailable[screen.reason] ?? t.otherUnavailable}</p>
      <ReturnLink {...props} />
    </Outcome>
  );
}

export function BrokenView(props: ViewProps<Broken>) {
  const { screen, t } = props;
  return (
    <Outcome mark="quiet">
      <Heading>{t.brokenTitle}</Heading>
      <Refused refusal={screen.refusal} t={t} />
      <ReturnLink {...props} />
    </Outcome>
  );
}
