import type { ComponentChildren } from 'preact';
import { isOperator, mayDo, type Remote } from '../app/app.js';
import type { Values } from '../app/form-spec.js';
import { specOf, type FormName } from '../app/forms.js';
import { hrefOf, type PageName } from '../app/route.js';
import { count, dateTime, exactTime, money, relativeTime } from '../format/format.js';
import type { Ahead, Refusal } from '../wire/refusal.js';
import type { Counted } from '../wire/home.js';
import type { Mode } from '../wire/types.js';
import { useUi } from './context.js';
import { Icon } from './icons.js';

/** The heading of a page, with what can be done there. */
export function Heading({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <header class="heading">
      <h1 tabIndex={-1}>{title}</h1>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}

const TONES: Readonly<Record<string, string>> = {
  completed: 'good',
  delivered: 'good',
  succeeded: 'good',
  healthy: 'good',
  active: 'good',
  failed: 'bad',
  dead_lettered: 'bad',
  failing: 'bad',
  charged_back: 'bad',
  revoked: 'bad',
  suspended: 'bad',
  retrying: 'note',
  processing: 'note',
  pending: 'note',
  requires_action: 'note',
  running: 'note',
  awaiting: 'note',
  stuck: 'bad',
  approved: 'good',
  done: 'good',
  declined: 'bad',
  paused: 'note',
  refunded: 'note',
  in_review: 'note',
  partly_refunded: 'note',
  disputed: 'bad',
  dispute_won: 'good',
};

export function Badge({ status }: { readonly status: string }) {
  const { t } = useUi();
  return <span class={`badge badge-${TONES[status] ?? 'plain'}`}>{t.status[status] ?? status}</span>;
}

/** The status of a session or transaction, and the state of its payment where the status does not show it. */
export function StatusBadges({ status, payment }: { readonly status: string; readonly payment: string | null }) {
  const { t } = useUi();
  if (payment === null || payment === status) return <Badge status={status} />;
  // The status of a transaction says less about the same thing.
  const own = t.payments[status] === undefined || status === 'completed' ? <Badge status={status} /> : null;
  return (
    <span class="badges">
      {own}
      <span class={`badge badge-${TONES[payment] ?? 'plain'}`}>{t.payments[payment] ?? payment}</span>
    </span>
  );
}

/** An instant: the distance from now, or the date and time; the other one and the exact instant in the tooltip. */
export function Time({
  at,
  isFull = false,
  clock,
  now = null,
}: {
  readonly at: string | number | null;
  readonly isFull?: boolean;
  readonly clock?: keyof Ahead;
  /** Instead of the time of a clock, in epoch milliseconds. */
  readonly now?: number | null;
}) {
  const { locale, t, now: timeOf } = useUi();
  if (at === null) return <span class="quiet">{t.never}</span>;
  const exact = exactTime(at);
  const [relative, full] = [relativeTime(locale, at, now ?? timeOf(clock)), dateTime(locale, at)];
  return (
    <time dateTime={exact} title={isFull ? exact : `${full} (${exact})`}>
      {isFull ? `${full} · ${relative}` : relative}
    </time>
  );
}

export function Amount({ amount, currency }: { readonly amount: string | null; readonly currency: string | null }) {
  const { locale } = useUi();
  return <bdi class="amount">{money(locale, amount, currency)}</bdi>;
}

/** An id, a link if it leads to a page, with a button that copies it. */
export function Id({ id, page }: { readonly id: string; readonly page?: PageName }) {
  const { to } = useUi();
  return (
    <span class="id">
      {page === undefined ? (
        <code>{id}</code>
      ) : (
        <a href={to(page, id)}>
          <code>{id}</code>
        </a>
      )}
      <Copy text={id} />
    </span>
  );
}

export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
  const { t, send } = useUi();
  const copy = () => send({ type: 'copied', text });
  return label === undefined ? (
    <button type="button" class="copy" aria-label={`${t.copy} ${text.length > 60 ? '' : text}`.trim()} onClick={copy}>
      <Icon name="copy" size={14} />
    </button>
  ) : (
    <button type="button" class="button" onClick={copy}>
      <Icon name="copy" size={14} />
      {label}
    </button>
  );
}

/** A button that opens a form. Nothing where the role would be refused. */
export function Opens({
  form,
  subject = '',
  values = {},
  label,
  isMain = false,
  about,
}: {
  readonly form: FormName;
  readonly subject?: string;
  readonly values?: Values;
  readonly label?: string;
  readonly isMain?: boolean;
  /** What the button is about, for screen readers, where several have the same label. */
  readonly about?: string;
}) {
  const { app, t, send } = useUi();
  const spec = specOf(form);
  if (!mayDo(app, spec.permission)) return null;
  const text = label ?? t.forms[form].submit;
  return (
    <button
      type="button"
      class={`button ${isMain ? 'button-main' : ''} ${spec.isDanger === true ? 'button-bad' : ''}`}
      {...(about !== undefined && { 'aria-label': `${text}: ${about}` })}
      onClick={() => send({ type: 'opened_form', name: form, subject, values })}
    >
      {text}
    </button>
  );
}

/** Says so where a page's changes are all out of reach. */
export function ReadOnlyNote({ form }: { readonly form: FormName }) {
  const { app, t } = useUi();
  return mayDo(app, specOf(form).permission) ? null : <p class="fine quiet">{t.readOnly}</p>;
}

/** The value of something that has been read; null before, and if it was refused. */
export const valueOf = <Value,>(remote: Remote<Value> | undefined): Value | null =>
  remote?.at === 'ready' ? remote.value : null;

/** The state of something that is read: loading, refused, or there. */
export function Shown<Value>({
  remote,
  children,
}: {
  readonly remote: Remote<Value> | undefined;
  readonly children: (value: Value) => ComponentChildren;
}) {
  if (remote === undefined || remote.at === 'loading') return <Skeleton />;
  return <>{remote.at === 'refused' ? <Refused refusal={remote.refusal} /> : children(remote.value)}</>;
}

function Skeleton() {
  const { t } = useUi();
  return (
    <div class="skeleton" role="status">
      <span class="unseen">{t.loading}</span>
      <i class="bone" />
      <i class="bone" />
      <i class="bone" />
    </div>
  );
}

export function refusalText(refusal: Refusal, t: ReturnType<typeof useUi>['t']): string {
  if (refusal.code === 'unreachable') return t.unreachable;
  if (refusal.code === 'no_passkey') return t.door.own.notMade;
  if (refusal.status === 404) return t.notFound;
  if (refusal.code === 'insufficient_role') return t.forbidden;
  return refusal.message === '' ? refusal.code : refusal.message;
}

function Refused({ refusal }: { readonly refusal: Refusal }) {
  const { t, send } = useUi();
  const { status } = refusal;
  // What the installation does not have will not be there at another try.
  const isTransient = status === 0 || status === 429 || (status >= 500 && status !== 501);
  return (
    <div class="empty" role="alert">
      <p class="empty-title">{t.refusedTitle}</p>
      <p class="quiet">{refusalText(refusal, t)}</p>
      {refusal.requestId !== null && (
        <p class="fine quiet">
          {t.requestId} <Id id={refusal.requestId} />
        </p>
      )}
      {isTransient && (
        <button type="button" class="button" onClick={() => send({ type: 'tried_again' })}>
          {t.tryAgain}
        </button>
      )}
    </div>
  );
}

/** Says that a list without further pages does not show everything. */
export function MoreNote({ isShown }: { readonly isShown: boolean }) {
  const { t } = useUi();
  return isShown ? <p class="fine quiet pad">{t.work.more}</p> : null;
}

export function Empty({ text }: { readonly text: string }) {
  const { t } = useUi();
  return (
    <div class="empty">
      <p class="empty-title">{t.emptyTitle}</p>
      <p class="quiet">{text}</p>
    </div>
  );
}

/** A number, with a plus sign where the service stopped counting. */
export function Tally({ of }: { readonly of: Counted }) {
  const { t, locale } = useUi();
  const text = count(locale, of.count);
  return <bdi>{of.more ? t.home.atLeast(text) : text}</bdi>;
}

/** A partner by its name, with its id as the title, and for operators as a link. Its own users see its id. */
export function PartnerLink({ id, mode = null }: { readonly id: string; readonly mode?: Mode | null }) {
  const { app, t } = useUi();
  const name = app.door.at === 'inside' ? app.door.me.partners.find((one) => one.id === id)?.name : undefined;
  const text = [name ?? id, mode === null ? null : t.modes[mode]].filter(Boolean).join(', ');
  if (!isOperator(app)) return <bdi>{text}</bdi>;
  return (
    <a href={mode === null ? hrefOf(null, 'partner', id) : hrefOf({ partner: id, mode }, 'home')} title={id}>
      <bdi>{text}</bdi>
    </a>
  );
}

/** Names and values of an object. */
export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Panel({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="panel">
      <header class="panel-top">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** An object as JSON, closed until it is asked for. */
export function JsonPanel({
  value,
  title,
  isOpen = false,
}: {
  readonly value: unknown;
  readonly title?: string;
  readonly isOpen?: boolean;
}) {
  const { t } = useUi();
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <details class="panel json" open={isOpen}>
      <summary>{title ?? t.json}</summary>
      <div class="json-body">
        <Copy text={text} label={t.copy} />
        <pre dir="ltr" tabIndex={0}>
          {text}
        </pre>
      </div>
    </details>
  );
}
