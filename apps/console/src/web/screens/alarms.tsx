import { count } from '../format/format.js';
import { useUi } from '../ui/context.js';
import { Fact, Facts, Panel, PartnerLink, Time } from '../ui/parts.js';
import type { Alarm, Alarms } from '../wire/home.js';

/** The alarms of the installation. What was not evaluated is never shown as if all were well. */
export function AlarmsPanel({ alarms: { evaluated_at: at, data } }: { readonly alarms: Alarms }) {
  const { t, locale } = useUi();
  const of = (...states: readonly Alarm['state'][]) => data.filter(({ state }) => states.includes(state));
  const [raised, unknown, inactive] = [of('firing', 'pending'), of('not_evaluated'), of('inactive')];
  return (
    <Panel
      title={t.home.alarms.title}
      actions={
        <span class="fine quiet">
          {t.home.alarms.evaluated} <Time at={at} isFull clock="live" />
        </span>
      }
    >
      {raised.length === 0 ? (
        <p class="pad quiet">{t.home.alarms.none(count(locale, inactive.length))}</p>
      ) : (
        <ul class="alarms">
          {raised.map((alarm) => (
            <Raised key={alarm.name} alarm={alarm} />
          ))}
        </ul>
      )}
      <Others title={t.home.alarms.notEvaluated(count(locale, unknown.length))} alarms={unknown}>
        {t.home.alarms.notEvaluatedHint}
      </Others>
      <Others title={t.home.alarms.inactive(count(locale, inactive.length))} alarms={inactive} />
    </Panel>
  );
}

function Raised({ alarm }: { readonly alarm: Alarm }) {
  const { t, locale } = useUi();
  const { name, severity, state, since, value, covers, condition, meaning, about } = alarm;
  const tone = severity === 'critical' ? 'bad' : 'note';
  return (
    <li class={`alarm alarm-${tone}`}>
      <h3>
        <bdi>{name}</bdi>
        <span class={`badge badge-${tone}`}>
          {t.home.alarms.severities[severity]} · {t.home.alarms.states[state]}
        </span>
      </h3>
      <Meaning text={meaning} />
      <Facts>
        <Fact name={t.home.alarms.since}>{since === null ? '–' : <Time at={since} clock="live" />}</Fact>
        <Fact name={t.home.alarms.value}>
          <bdi>{value === null ? '–' : count(locale, value)}</bdi>
        </Fact>
        <Fact name={t.home.alarms.covers}>{covers === null ? '–' : t.home.alarms[covers]}</Fact>
        <Fact name={t.home.alarms.condition}>
          <code dir="ltr">{condition}</code>
        </Fact>
        {about.length > 0 && (
          <Fact name={t.home.alarms.about}>
            <ul>
              {about.map(({ fields, links }) => (
                <li key={JSON.stringify(fields)} dir="ltr" class="ids">
                  {Object.entries(fields).map(([name, value]) => (
                    <span key={name}>
                      <span class="quiet">{t.columns[name] ?? name.replaceAll('_', ' ')}</span>{' '}
                      <Named value={String(value ?? '–')} name={name} href={links[name]} />
                    </span>
                  ))}
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </Facts>
    </li>
  );
}

interface NamedProps {
  readonly name: string;
  readonly value: string;
  readonly href: string | undefined;
}

/** A value of an alarm, as a link where it is an id. Partners are shown by their names. */
function Named({ name, value, href }: NamedProps) {
  if (name === 'partner_id') return <PartnerLink id={value} />;
  return href === undefined ? (
    <bdi>{value}</bdi>
  ) : (
    <a href={href}>
      <code>{value}</code>
    </a>
  );
}

/** The alarms that do not fire, closed until asked for. */
function Others({
  title,
  alarms,
  children,
}: {
  readonly title: string;
  readonly alarms: readonly Alarm[];
  readonly children?: string;
}) {
  const { t } = useUi();
  if (alarms.length === 0) return null;
  return (
    <details class="others alarm-others">
      <summary>{title}</summary>
      {children !== undefined && <p class="fine quiet">{children}</p>}
      <ul>
        {alarms.map(({ name, covers, reason, meaning }) => (
          <li key={name}>
            <bdi>{name}</bdi>
            <span class="fine quiet">
              {reason === null ? (covers === null ? '' : t.home.alarms[covers]) : t.home.alarms.reasons[reason]}
            </span>
            <Meaning text={meaning} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The service's own words, which are English. Text in backticks is code. */
function Meaning({ text }: { readonly text: string }) {
  return (
    <p class="fine" lang="en" dir="ltr">
      {text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </p>
  );
}
