import { diffRows } from '../time/diff.js';
import { momentOf, type Moment } from '../time/step-at.js';
import { useUi } from '../ui/context.js';
import { Icon } from '../ui/icons.js';
import { Badge, Time } from '../ui/parts.js';
import type { History, Json } from '../wire/types.js';

/**
 * The history of a session under a slider: everything as it was right after each event, with what that event changed marked. The step is
 * kept in the address by the sequence of its event.
 */
export function TimeMachine({
  history,
  isForeign = false,
}: {
  readonly history: History;
  /** Whether the history is from another console, whose objects this one cannot link to. */
  readonly isForeign?: boolean;
}) {
  const { app, t, send } = useUi();
  const query = app.route.page?.query ?? {};
  const moment = momentOf(history, query['sequence']);
  if (moment === null) return <p class="quiet pad">{t.time.empty}</p>;
  const { steps } = history;
  const { at, step } = moment;
  const last = steps.length - 1;
  const go = (to: number): void => {
    const wanted = steps[Math.max(0, Math.min(to, last))];
    if (wanted === undefined) return;
    const { sequence: _, ...rest } = query;
    // The latest step needs no mark: as more events come, it stays the latest.
    send({ type: 'moved', query: wanted === steps[last] ? rest : { ...rest, sequence: String(wanted.sequence) } });
  };
  const label = t.time.step(at + 1, steps.length, step.event.type);
  return (
    <div class="time">
      <p class="fine quiet">{t.time.lead}</p>
      {history.complete === false && <p class="notice">{t.time.incomplete}</p>}
      <div class="time-bar">
        <button type="button" class="button" aria-label={t.time.earlier} disabled={at === 0} onClick={() => go(at - 1)}>
          <Icon name="back" />
        </button>
        <div class="time-track">
          <input
            type="range"
            min={0}
            max={last}
            step={1}
            value={at}
            disabled={last === 0}
            aria-label={t.time.slider}
            aria-valuetext={label}
            onInput={({ currentTarget }) => go(Number(currentTarget.value))}
          />
          <ol class="ticks" aria-hidden="true">
            {steps.map(({ sequence }, index) => (
              <li key={sequence} class={index <= at ? 'is-past' : ''} />
            ))}
          </ol>
        </div>
        <button
          type="button"
          class="button"
          aria-label={t.time.later}
          disabled={at === last}
          onClick={() => go(at + 1)}
        >
          <Icon name="forward" />
        </button>
        <button type="button" class="button" disabled={at === last} onClick={() => go(last)}>
          {t.time.latest}
        </button>
      </div>
      <StepTitle moment={moment} label={label} isForeign={isForeign} />
      <div class="time-columns">
        <Snapshot title={t.time.session} before={moment.earlier?.session} after={step.session} isFirst={at === 0} />
        <Transactions moment={moment} isForeign={isForeign} />
        <Snapshot
          title={t.time.intents}
          before={listOf(moment.earlier?.intents)}
          after={[...step.intents]}
          isFirst={at === 0}
        />
        <Deliveries moment={moment} isForeign={isForeign} />
      </div>
    </div>
  );
}

/** Every transaction of the session that existed, and what is known to have existed but was not kept. */
function Transactions({ moment: { at, step, earlier }, isForeign }: Omit<Titled, 'label'>) {
  const { t } = useUi();
  const title = t.time.transaction;
  const { transactions = [], not_kept: notKept = [] } = step;
  if (transactions.length === 0)
    return <Snapshot title={title} before={earlier?.transaction} after={step.transaction} isFirst={at === 0} />;
  const beforeOf = (refid: string): Json | undefined =>
    earlier === null ? undefined : (earlier.transactions?.find((one) => one.refid === refid)?.object ?? null);
  return (
    <>
      {transactions.map(({ refid, object }) =>
        object === null ? (
          <NotKept key={refid} title={title} type="transaction" id={refid} isForeign={isForeign} />
        ) : (
          <Snapshot key={refid} title={title} before={beforeOf(refid)} after={object} isFirst={at === 0} />
        ),
      )}
      {notKept.map(({ type, id }) => (
        <NotKept key={id} title={t.time.parts[type] ?? type} type={type} id={id} isForeign={isForeign} />
      ))}
    </>
  );
}

/** Something that existed at the step, whose state then is not known. */
function NotKept({
  title,
  type,
  id,
  isForeign,
}: {
  readonly title: string;
  readonly type: string;
  readonly id: string;
  readonly isForeign: boolean;
}) {
  const { t, to } = useUi();
  return (
    <section class="snapshot">
      <h3>{title}</h3>
      <p class="quiet">
        {t.time.notKept} <code>{id}</code>
        {type === 'transaction' && !isForeign && <a href={to('transaction', id)}> {t.details}</a>}
      </p>
    </section>
  );
}

const listOf = (items: readonly Json[] | undefined): Json | undefined => (items === undefined ? undefined : [...items]);

interface Titled {
  readonly moment: Moment;
  readonly label: string;
  readonly isForeign: boolean;
}

function StepTitle({ moment: { step }, label, isForeign }: Titled) {
  const { to } = useUi();
  return (
    <p class="time-step" aria-live="polite">
      <strong>{label}</strong>
      <span class="quiet">
        <Time at={step.at} isFull />
      </span>
      {isForeign ? (
        <code>{step.event.id}</code>
      ) : (
        <a href={to('event', step.event.id)}>
          <code>{step.event.id}</code>
        </a>
      )}
    </p>
  );
}

/** An object at the step, field by field. Fields that the step changed come with their value before. */
function Snapshot({
  title,
  before,
  after,
  isFirst,
}: {
  readonly title: string;
  readonly before: Json | undefined;
  readonly after: Json;
  readonly isFirst: boolean;
}) {
  const { t } = useUi();
  const rows = diffRows(isFirst ? undefined : (before ?? null), after);
  const changes = rows.filter(({ change }) => change !== null).length;
  const isMissing = after === null || (Array.isArray(after) && after.length === 0);
  return (
    <section class="snapshot">
      <h3>
        {title}
        {!isFirst && !isMissing && <ChangeBadge isNew={before === null} changes={changes} />}
      </h3>
      {isMissing ? (
        <p class="quiet">{t.time.nothingYet}</p>
      ) : (
        <dl dir="ltr" tabIndex={0} aria-label={title}>
          {rows.map(({ path, before: was, after: now, change }) => (
            <div key={path} class={change === null ? '' : `is-${change}`}>
              <dt>{path}</dt>
              <dd>
                {change === 'removed' ? <del>{plain(was)}</del> : <span>{plain(now)}</span>}
                {change === 'changed' && (
                  <del>
                    <span class="unseen">{t.time.was} </span>
                    {plain(was)}
                  </del>
                )}
                {(change === 'added' || change === 'removed') && <span class="unseen"> {t.time[change]}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function ChangeBadge({ isNew, changes }: { readonly isNew: boolean; readonly changes: number }) {
  const { t } = useUi();
  if (isNew) return <span class="badge badge-good">{t.time.added}</span>;
  if (changes === 0) return <span class="badge badge-plain">{t.time.unchanged}</span>;
  return <span class="badge badge-note">{t.time.changed(changes)}</span>;
}

const plain = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

function Deliveries({ moment: { step, earlier }, isForeign }: Omit<Titled, 'label'>) {
  const { t, to } = useUi();
  const before = new Map(earlier?.deliveries.map((one) => [one.id, one]));
  return (
    <section class="snapshot">
      <h3>{t.time.deliveries}</h3>
      {step.deliveries.length === 0 ? (
        <p class="quiet">{t.time.nothingYet}</p>
      ) : (
        <ul>
          {step.deliveries.map(({ id, status, attempts }) => {
            const was = before.get(id);
            const isSame = earlier === null || (was?.status === status && was.attempts === attempts);
            return (
              <li key={id} class={isSame ? '' : was === undefined ? 'is-added' : 'is-changed'}>
                {isForeign ? (
                  <code>{id}</code>
                ) : (
                  <a href={to('delivery', id)}>
                    <code>{id}</code>
                  </a>
                )}
                <Badge status={status} />
                <span class="quiet">
                  {t.columns['attempts']}: {attempts}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
