import { money } from '../format/format.js';
import { useUi } from '../ui/context.js';
import { Fact, Facts, Panel } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import type { HeldMoney, MoneyTotal, Totals } from '../wire/home.js';
import type { Mode } from '../wire/types.js';

export const MODES: readonly Mode[] = ['live', 'test'];

/** The money of a period's payments, by currency. Nothing if there was none. */
export function MoneyTable({ totals: { money: sums, payments } }: { readonly totals: Totals }) {
  const { t } = useUi();
  if (sums.length === 0) return null;
  const isMore = Object.values(payments).some(({ more }) => more);
  const column = (name: string, amountOf: (one: MoneyTotal) => string) => ({
    name,
    cell: (one: MoneyTotal) => <AmountOrNone amount={amountOf(one)} currency={one.currency} isMore={isMore} />,
  });
  return (
    <Table
      caption={t.home.money.title}
      rows={sums}
      keyOf={({ currency }) => currency}
      columns={[
        { name: 'currency', cell: ({ currency }) => <bdi>{currency}</bdi> },
        column('paid', ({ received }) => received),
        column('paid_out', ({ paid_out: paidOut }) => paidOut),
        column('in_progress', (one) => one.in_progress),
        column('returned', ({ returned }) => returned),
      ]}
    />
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
