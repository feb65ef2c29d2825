import { money } from '../format/format.js';
import { useUi } from '../ui/context.js';
import { Fact, Facts, Panel, Tally } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import type { Activity, HeldMoney, Overview } from '../wire/home.js';
import type { Mode } from '../wire/types.js';

export const MODES: readonly Mode[] = ['live', 'test'];

/** What buyers of the partner paid and received in the last 24 hours, and what is still in progress. */
export function MoneyPanel({
  overview,
  activity,
}: {
  readonly overview: Overview;
  readonly activity: Activity | null;
}) {
  const { t } = useUi();
  const texts = t.home.money;
  return (
    <Panel title={texts.title}>
      <Facts>
        <Fact name={texts.payments}>{activity === null ? '–' : <Tally of={activity.payments} />}</Fact>
        <Fact name={texts.held}>
          <Amounts of={overview.held} isMore={overview.sessions['in_progress']?.more} />
        </Fact>
      </Facts>
      {activity !== null && activity.volume.length > 0 && (
        <Table
          caption={texts.title}
          rows={activity.volume}
          keyOf={({ currency }) => currency}
          columns={[
            { name: 'currency', cell: ({ currency }) => <bdi>{currency}</bdi> },
            {
              name: 'paid',
              cell: ({ currency, received }) => (
                <AmountOrNone amount={received} currency={currency} isMore={activity.payments.more} />
              ),
            },
            {
              name: 'paid_out',
              cell: ({ currency, paid_out: paidOut }) => (
                <AmountOrNone amount={paidOut} currency={currency} isMore={activity.payments.more} />
              ),
            },
          ]}
        />
      )}
      {activity?.volume.length === 0 && <p class="pad quiet">{texts.none}</p>}
    </Panel>
  );
}

/** Money whose outcome is open, for operators. Nothing where it could not be read. */
export function HeldMoneyPanel({ held }: { readonly held: HeldMoney | null }) {
  const { t } = useUi();
  if (held === null) return null;
  const { sessions, operations } = held;
  const of = ({ amounts }: HeldMoney['sessions'], mode: Mode) => amounts.filter((one) => one.mode === mode);
  return (
    <Panel title={t.home.money.ofAll}>
      <Facts>
        {MODES.map((mode) => (
          <Fact key={mode} name={t.home.money.sessions(t.modes[mode])}>
            <Amounts of={of(sessions, mode)} isMore={sessions.more} />
          </Fact>
        ))}
        {operations !== null &&
          MODES.map((mode) => (
            <Fact key={mode} name={t.home.money.operations(t.modes[mode])}>
              <Amounts of={of(operations, mode)} isMore={operations.more} />
            </Fact>
          ))}
      </Facts>
    </Panel>
  );
}

function Amounts({
  of,
  isMore = false,
}: {
  readonly of: readonly { readonly currency: string; readonly amount: string }[];
  /** Whether there may be more than was summed. */
  readonly isMore?: boolean | undefined;
}) {
  const { t } = useUi();
  if (of.length === 0 && !isMore) return <span class="quiet">{t.home.money.nothing}</span>;
  return (
    <ul>
      {of.map((one) => (
        <li key={one.currency}>
          <Sum {...one} isMore={isMore} />
        </li>
      ))}
    </ul>
  );
}

interface SumProps {
  readonly amount: string;
  readonly currency: string;
  readonly isMore: boolean;
}

function Sum({ amount, currency, isMore }: SumProps) {
  const { t, locale } = useUi();
  const text = money(locale, amount, currency);
  return <bdi class="amount">{isMore ? t.home.atLeast(text) : text}</bdi>;
}

function AmountOrNone(props: SumProps) {
  return props.amount === '0' ? <span class="quiet">–</span> : <Sum {...props} />;
}
