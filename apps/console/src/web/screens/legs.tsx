import { useUi } from '../ui/context.js';
import {
  Badge,
  Empty,
  Fact,
  Facts,
  Heading,
  Id,
  Opens,
  Panel,
  PartnerLink,
  Shown,
  Time,
  valueOf,
} from '../ui/parts.js';
import { NextPage, Table } from '../ui/table.js';
import type { Amounts, LegOperation, LegOperationView, Wallet } from '../wire/types.js';

const textOf = (amounts: Amounts): string =>
  Object.entries(amounts)
    .map(([asset, amount]) => `${amount} ${asset}`)
    .join(', ') || '–';

/** The hot wallet of provider legs on each network. */
export function WalletsView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.wallets} />
      <Shown remote={app.loaded.wallets?.remote}>
        {({ data }) => data.map((wallet) => <WalletPanel key={wallet.network} wallet={wallet} />)}
      </Shown>
    </>
  );
}

function WalletPanel({ wallet }: { readonly wallet: Wallet }) {
  const { t } = useUi();
  const { network, status, history } = wallet;
  return (
    <Panel
      title={network}
      actions={
        <>
          <Badge status={status} />
          <Opens form={status === 'paused' ? 'resume_wallet' : 'pause_wallet'} subject={network} about={network} />
        </>
      }
    >
      <Facts>
        <Fact name={t.legs.address}>
          <Id id={wallet.address} />
        </Fact>
        <Fact name={t.legs.answering}>{wallet.answering ? t.legs.yes : <span class="bad">{t.legs.no}</span>}</Fact>
        <Fact name={t.legs.balances}>
          <bdi>{textOf(wallet.balances)}</bdi>
        </Fact>
        <Fact name={t.legs.pending}>{wallet.pending_sends}</Fact>
        <Fact name={t.legs.spent}>
          <bdi>{textOf(wallet.spent_today)}</bdi>
        </Fact>
        <Fact name={t.legs.perSend}>
          <bdi>{textOf(wallet.max_per_send)}</bdi>
        </Fact>
        <Fact name={t.legs.perDay}>
          <bdi>{textOf(wallet.max_per_day)}</bdi>
        </Fact>
        {wallet.paused_because !== null && (
          <Fact name={t.legs.because}>
            <bdi>{wallet.paused_because}</bdi>
          </Fact>
        )}
      </Facts>
      {history.length > 0 && (
        <Table
          caption={t.legs.history}
          rows={history.toReversed()}
          keyOf={({ at, to }) => `${at} ${to}`}
          columns={[
            { name: 'status', cell: ({ to }) => <Badge status={to} /> },
            { name: 'actor', cell: ({ by }) => <bdi>{by}</bdi> },
            { name: 'reason', cell: ({ reason }) => <bdi>{reason}</bdi> },
            { name: 'created_at', cell: ({ at }) => <Time at={at} /> },
          ]}
        />
      )}
    </Panel>
  );
}

/** Operations of provider legs; by default the stuck ones, which need an operator. */
export function OperationsView() {
  const { app, t, send, to } = useUi();
  const query = app.route.page?.query ?? {};
  const { mode = 'live', stuck = 'true' } = query;
  const choose = (chosen: Readonly<Record<string, string>>) =>
    send({ type: 'moved', query: { mode, stuck, ...chosen } });
  return (
    <>
      <Heading title={t.pages.operations} />
      <form class="filters" role="search" aria-label={t.filters} onSubmit={(event) => event.preventDefault()}>
        <label htmlFor="filter-mode">
          <span>{t.mode}</span>
          <select id="filter-mode" value={mode} onChange={({ currentTarget }) => choose({ mode: currentTarget.value })}>
            <option value="live">{t.modes.live}</option>
            <option value="test">{t.modes.test}</option>
          </select>
        </label>
        <label htmlFor="filter-stuck">
          <span>{t.columns['status']}</span>
          <select
            id="filter-stuck"
            value={stuck}
            onChange={({ currentTarget }) => choose({ stuck: currentTarget.value })}
          >
            <option value="true">{t.status['stuck']}</option>
            <option value="false">{t.any}</option>
          </select>
        </label>
      </form>
      <Shown remote={app.loaded.operations?.remote}>
        {({ data, has_more: more }) => (
          <>
            {data.length === 0 ? <Empty text={t.empty['operations'] ?? ''} /> : <OperationTable rows={data} />}
            {more && <NextPage href={to('operations', null, { mode, stuck, starting_after: data.at(-1)?.id ?? '' })} />}
          </>
        )}
      </Shown>
    </>
  );
}

function OperationTable({ rows }: { readonly rows: readonly LegOperation[] }) {
  const { t, to } = useUi();
  return (
    <Table
      caption={t.pages.operations}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'id',
          cell: ({ id }) => (
            <a class="row-link" href={to('operation', id)}>
              <code>{id}</code>
            </a>
          ),
        },
        { name: 'status', cell: ({ status }) => <Badge status={status} /> },
        { name: 'flow', cell: ({ flow }) => t.flows[flow] ?? flow },
        { name: 'step', cell: ({ step }) => <code>{step ?? '–'}</code> },
        { name: 'reason', cell: ({ reason }) => <code>{reason ?? '–'}</code> },
        { name: 'updated_at', cell: ({ updated_at: at }) => <Time at={at} /> },
      ]}
    />
  );
}

export function OperationView({ id }: { readonly id: string }) {
  const { app, t } = useUi();
  const shown = valueOf(app.loaded.operation?.remote);
  return (
    <>
      <Heading title={t.pages.operation}>
        {shown !== null && <Badge status={shown.status} />}
        {shown?.status === 'stuck' && (
          <Opens form="resolve_operation" subject={id} values={{ as: 'refunded' }} isMain />
        )}
      </Heading>
      <Shown remote={app.loaded.operation?.remote}>
        {(operation) => (
          <>
            <Details operation={operation} />
            <Panel title={t.legs.steps}>
              <ol class="plain-list">
                {operation.steps.map((step) => (
                  <li key={step} aria-current={step === operation.step ? 'step' : undefined}>
                    <code>{step}</code> {step === operation.step && <Badge status={operation.status} />}
                  </li>
                ))}
                {operation.step !== null && !operation.steps.includes(operation.step) && (
                  <li aria-current="step">
                    <code>{operation.step}</code> <Badge status={operation.status} />
                  </li>
                )}
              </ol>
            </Panel>
            <Ledger operation={operation} />
          </>
        )}
      </Shown>
    </>
  );
}

function Details({ operation }: { readonly operation: LegOperationView }) {
  const { t } = useUi();
  const { partner_id: partner, mode, source, destination, resolution, owed } = operation;
  const money = (one: { readonly amount: string; readonly currency: string } | null) => (
    <bdi class="amount">{one === null ? '–' : `${one.amount} ${one.currency}`}</bdi>
  );
  return (
    <Panel title={t.details}>
      <Facts>
        <Fact name={t.columns['id'] ?? ''}>
          <Id id={operation.id} />
        </Fact>
        <Fact name={t.partner}>
          <PartnerLink id={partner} mode={mode} />
        </Fact>
        <Fact name={t.columns['flow'] ?? ''}>{t.flows[operation.flow] ?? operation.flow}</Fact>
        <Fact name={t.columns['reason'] ?? ''}>
          <code>{operation.reason ?? '–'}</code>
        </Fact>
        <Fact name={t.columns['paid'] ?? ''}>{money(source)}</Fact>
        <Fact name={t.columns['received'] ?? ''}>{money(destination)}</Fact>
        <Fact name={t.legs.owed}>
          {owed.length === 0 ? t.legs.nothing : owed.map((one) => <div key={one.currency}>{money(one)}</div>)}
        </Fact>
        {resolution !== null && (
          <Fact name={t.legs.resolved}>
            <Badge status={resolution.as} /> <Time at={resolution.at} /> <bdi>{resolution.reason}</bdi>
          </Fact>
        )}
        <Fact name={t.columns['created_at'] ?? ''}>
          <Time at={operation.created_at} isFull />
        </Fact>
      </Facts>
    </Panel>
  );
}

/** Every movement of money in double entry. */
function Ledger({ operation: { entries } }: { readonly operation: LegOperationView }) {
  const { t } = useUi();
  const rows = entries.flatMap(({ id, at, postings }) =>
    postings.map((posting, index) => ({ ...posting, id, at, key: `${id} ${index}` })),
  );
  return (
    <Panel title={t.legs.ledger}>
      {rows.length === 0 ? (
        <p class="quiet pad">{t.work.nothing}</p>
      ) : (
        <Table
          caption={t.legs.ledger}
          rows={rows}
          keyOf={({ key }) => key}
          columns={[
            { name: 'movement', cell: ({ id }) => <code>{id}</code> },
            { name: 'account', cell: ({ account }) => <code>{account}</code> },
            { name: 'amount', cell: ({ amount, currency }) => <bdi class="amount">{`${amount} ${currency}`}</bdi> },
            { name: 'created_at', cell: ({ at }) => <Time at={at} /> },
          ]}
        />
      )}
    </Panel>
  );
}
