import { hrefOf } from '../app/route.js';
import { count } from '../format/format.js';
import { useUi } from '../ui/context.js';
import { Empty, Heading, MoreNote, Opens, PartnerLink, Shown, Time } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import type { DeadLetters, PoolRow } from '../wire/types.js';

interface PoolBalance extends PoolRow {
  readonly balance: PoolRow['balances'][number];
}

/** Each pool's balance in both of its currencies. */
export function PoolsView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.pools} />
      <Shown remote={app.loaded.pools?.remote}>
        {({ data, has_more: more }) => (
          <>
            {data.length === 0 ? <Empty text={t.empty['pools'] ?? ''} /> : <PoolTable rows={data} />}
            <MoreNote isShown={more} />
          </>
        )}
      </Shown>
    </>
  );
}

function PoolTable({ rows }: { readonly rows: readonly PoolRow[] }) {
  const { t, locale } = useUi();
  const percent = (bps: number): string =>
    new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(bps / 10_000);
  return (
    <Table<PoolBalance>
      caption={t.pages.pools}
      rows={rows.flatMap((pool) => pool.balances.map((balance) => ({ ...pool, balance })))}
      keyOf={({ partner_id: partner, id, balance }) => `${partner}/${id}/${balance.currency}`}
      columns={[
        { name: 'pool', cell: ({ id }) => <code>{id}</code> },
        { name: 'partner_id', cell: ({ partner_id: id }) => <PartnerLink id={id} /> },
        { name: 'currency', cell: ({ balance }) => <bdi>{balance.currency}</bdi> },
        { name: 'available', cell: ({ balance }) => <bdi class="amount">{balance.available}</bdi> },
        { name: 'reserved', cell: ({ balance }) => <bdi class="amount">{balance.reserved}</bdi> },
        { name: 'total', cell: ({ balance }) => <bdi class="amount">{balance.total}</bdi> },
        {
          name: 'spread',
          cell: ({ spread_bps: spread, fee_bps: fee }) => `${percent(spread)} + ${percent(fee)}`,
          isExtra: true,
        },
        {
          name: '',
          cell: ({ partner_id: partner, id, balance: { currency } }) => (
            <Opens
              form="move_balance"
              subject={`${partner}/${id}`}
              values={{ currency }}
              about={`${id}, ${currency}`}
            />
          ),
        },
      ]}
    />
  );
}

/** Dead-lettered deliveries by partner and mode. */
export function DeadLettersView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.dead_letters} />
      <Shown remote={app.loaded.dead_letters?.remote}>
        {({ data, has_more: more }) => (
          <>
            {data.length === 0 ? <Empty text={t.empty['dead_letters'] ?? ''} /> : <DeadLetterTable rows={data} />}
            <MoreNote isShown={more} />
          </>
        )}
      </Shown>
    </>
  );
}

function DeadLetterTable({ rows }: { readonly rows: readonly DeadLetters[] }) {
  const { app, t, locale } = useUi();
  const partners = app.door.at === 'inside' ? app.door.me.partners : [];
  return (
    <Table
      caption={t.pages.dead_letters}
      rows={rows}
      keyOf={({ partner_id: partner, mode }) => `${mode}/${partner}`}
      columns={[
        {
          name: 'partner_id',
          cell: ({ partner_id: partner, mode }) => (
            <a href={hrefOf({ partner, mode }, 'deliveries', null, { status: 'dead_lettered' })}>
              <bdi>{partners.find(({ id }) => id === partner)?.name ?? partner}</bdi>
            </a>
          ),
        },
        { name: 'mode', cell: ({ mode }) => t.modes[mode] },
        {
          name: 'given_up',
          cell: ({ count: n, more }) => {
            const text = count(locale, n);
            return <bdi>{more ? t.home.atLeast(text) : text}</bdi>;
          },
        },
        {
          name: 'event_type',
          cell: ({ by_event_type: types }) => <span dir="ltr">{Object.keys(types).join(', ')}</span>,
        },
        { name: 'newest_at', cell: ({ newest_at: at }) => <Time at={at} /> },
        { name: 'last_error', cell: ({ last_error: error }) => <code>{error ?? '–'}</code>, isExtra: true },
        {
          name: '',
          cell: ({ partner_id: partner, mode }) => (
            <Opens
              form="replay_dead"
              label={t.forms.replay.submit}
              subject={`${mode}/${partner}`}
              about={`${partner}, ${t.modes[mode]}`}
            />
          ),
        },
      ]}
    />
  );
}
