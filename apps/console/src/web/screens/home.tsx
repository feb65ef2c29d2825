import { useUi } from '../ui/context.js';
import { Badge, Empty, Fact, Facts, Heading, Panel, Shown, Tally, Time, valueOf } from '../ui/parts.js';
import { Chart, type Series } from '../ui/chart.js';
import type { Activity, ActivityHour, Counted, FailedWork, Overview } from '../wire/home.js';
import { AlarmsPanel } from './alarms.js';
import { HeldMoneyPanel, MODES, MoneyPanel } from './money.js';
import { SessionTable } from './sessions.js';

const STATES = ['open', 'in_progress', 'completed', 'failed', 'expired', 'cancelled'] as const;

const NONE: Counted = { count: 0, more: false };

/** The state of one partner's mode at a glance. */
export function HomeView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.home} />
      {app.loaded.alarms !== undefined && (
        <Shown remote={app.loaded.alarms.remote}>{(alarms) => <AlarmsPanel alarms={alarms} />}</Shown>
      )}
      <Shown remote={app.loaded.overview?.remote}>
        {(overview) => (
          <>
            <Sessions overview={overview} />
            <div class="pair">
              <MoneyPanel overview={overview} activity={valueOf(app.loaded.activity?.remote)} />
              <HeldMoneyPanel held={valueOf(app.loaded.held_money?.remote)} />
            </div>
            <FailedWorkPanel failed={valueOf(app.loaded.failed_work?.remote)} />
            <Activities activity={valueOf(app.loaded.activity?.remote)} />
            <div class="pair">
              <Deliveries overview={overview} />
              <Endpoint overview={overview} />
            </div>
            <Panel title={t.home.recent}>
              {overview.recent.length === 0 ? (
                <Empty text={t.empty['sessions'] ?? ''} />
              ) : (
                <SessionTable rows={overview.recent} />
              )}
            </Panel>
          </>
        )}
      </Shown>
    </>
  );
}

function Sessions({ overview }: { readonly overview: Overview }) {
  const { t, to } = useUi();
  return (
    <Panel title={t.home.sessions}>
      <ul class="tiles">
        {STATES.map((state) => {
          const number = <Tally of={overview.sessions[state] ?? NONE} />;
          const isFilter = state !== 'in_progress' && state !== 'failed';
          return (
            <li key={state}>
              <span class={`dot dot-${state}`} />
              {isFilter ? (
                <a href={to('sessions', null, { status: state })}>{t.status[state]}</a>
              ) : (
                <span>{t.status[state]}</span>
              )}
              <strong>{number}</strong>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

/** Work that is no longer retried automatically, for operators. Empty if it could not be read. */
function FailedWorkPanel({ failed }: { readonly failed: FailedWork | null }) {
  const { t, to } = useUi();
  if (failed === null) return null;
  const { parked_tasks: parked, dead_letters: dead } = failed;
  const tile = (name: string, of: Counted, page: 'work' | 'dead_letters') => (
    <li key={name}>
      <a href={to(page)}>{name}</a>
      <strong class={of.count > 0 ? 'bad' : ''}>
        <Tally of={of} />
      </strong>
    </li>
  );
  return (
    <Panel title={t.home.failedWork.title}>
      <ul class="tiles">
        {MODES.map((mode) => tile(t.home.failedWork.parked(t.modes[mode]), parked[mode], 'work'))}
        {MODES.map((mode) => tile(t.home.failedWork.dead(t.modes[mode]), dead[mode], 'dead_letters'))}
      </ul>
    </Panel>
  );
}

/** The last day, hour by hour. */
function Activities({ activity }: { readonly activity: Activity | null }) {
  const { t } = useUi();
  if (activity === null) return null;
  const hours = activity.hours.map(({ from }) => from);
  const texts = t.home.activity;
  const series = (name: string, color: Series['color'], of: (hour: ActivityHour) => Counted): Series => ({
    name,
    color,
    counts: activity.hours.map(of),
  });
  return (
    <div class="pair">
      <Chart
        title={texts.sessions}
        hours={hours}
        series={[
          series(texts.created, '--accent', ({ sessions }) => sessions.created),
          series(texts.completed, '--good', ({ sessions }) => sessions.completed),
        ]}
      />
      <Chart
        title={texts.deliveries}
        hours={hours}
        series={[
          series(texts.delivered, '--good', ({ deliveries }) => deliveries.delivered),
          series(texts.failed, '--bad', ({ deliveries }) => deliveries.failed),
        ]}
      />
    </div>
  );
}

function Deliveries({ overview: { deliveries } }: { readonly overview: Overview }) {
  const { t, to } = useUi();
  const dead = deliveries.dead.count;
  return (
    <Panel title={t.home.deliveries}>
      <ul class="tiles">
        <li>
          <span>{t.home.waiting}</span>
          <strong>
            <Tally of={deliveries.pending} />
          </strong>
        </li>
        <li>
          <span>{t.home.dead}</span>
          <strong class={dead > 0 ? 'bad' : ''}>
            <Tally of={deliveries.dead} />
          </strong>
        </li>
        <li>
          <span>{t.home.deliveredToday}</span>
          <strong>
            <Tally of={deliveries.last_24h.delivered} />
          </strong>
        </li>
      </ul>
      {dead > 0 && (
        <p class="pad">
          <a href={to('deliveries', null, { status: 'dead_lettered' })}>{t.home.deadHint}</a>
        </p>
      )}
    </Panel>
  );
}

function Endpoint({ overview: { endpoint } }: { readonly overview: Overview }) {
  const { t, to } = useUi();
  return (
    <Panel title={t.home.endpoint} actions={<a href={to('endpoint')}>{t.details}</a>}>
      <Facts>
        <Fact name={t.endpoint.health}>
          <Badge status={endpoint?.status ?? 'not_configured'} />
        </Fact>
        <Fact name={t.columns['url'] ?? ''}>
          <bdi dir="ltr">{endpoint?.url ?? '–'}</bdi>
        </Fact>
        <Fact name={t.endpoint.lastSuccess}>
          <Time at={endpoint?.last_success_at ?? null} />
        </Fact>
        <Fact name={t.endpoint.lastFailure}>
          <Time at={endpoint?.last_failure_at ?? null} />
        </Fact>
      </Facts>
    </Panel>
  );
}
