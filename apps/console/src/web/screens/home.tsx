import { periodOf } from '../app/needs.js';
import { useUi } from '../ui/context.js';
import { Badge, Empty, Fact, Facts, Heading, Panel, Shown, Tally, Time, valueOf } from '../ui/parts.js';
import { Chart, type Series } from '../ui/chart.js';
import type { Activity, ActivityHour, Counted, FailedWork, Overview, Totals } from '../wire/home.js';
import { AlarmsPanel } from './alarms.js';
import { HeldMoneyPanel, MODES, MoneyTable } from './money.js';
import { SessionTable } from './sessions.js';

const PERIODS = ['day', 'month'] as const;

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
            <Shown remote={app.loaded.totals?.remote}>{(totals) => <Period totals={totals} />}</Shown>
            <HeldMoneyPanel held={valueOf(app.loaded.held_money?.remote)} />
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

/** Sessions, payments and money of a period. Each count leads to what it counts. */
function Period({ totals }: { readonly totals: Totals }) {
  const { app, t, to } = useUi();
  const shown = periodOf(app.route.page?.query ?? {});
  const periods = (
    <div class="choices" role="group" aria-label={t.home.period}>
      {PERIODS.map((period) => (
        <a key={period} href={to('home', null, { period })} aria-current={period === shown ? 'true' : undefined}>
          {t.home.periods[period]}
        </a>
      ))}
    </div>
  );
  return (
    <>
      <Panel title={t.home.sessions} actions={periods}>
        <Counts of={totals.sessions} page="sessions" from={totals.from} />
      </Panel>
      <Panel title={t.home.payments}>
        <Counts of={totals.payments} page="transactions" from={totals.from} />
        <MoneyTable totals={totals} />
      </Panel>
    </>
  );
}

interface CountsProps {
  readonly of: Readonly<Record<string, Counted>>;
  readonly page: 'sessions' | 'transactions';
  readonly from: string;
}

function Counts({ of, page, from }: CountsProps) {
  const { t, to } = useUi();
  return (
    <ul class="tiles">
      {Object.entries(of).map(([status, counted]) => (
        <li key={status}>
          <span class={`dot dot-${status}`} />
          <a href={to(page, null, { status, created_after: from })}>{t.status[status]}</a>
          <strong>
            <Tally of={counted} />
          </strong>
        </li>
      ))}
    </ul>
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
