import { useUi } from '../ui/context.js';
import { Amount, Heading, Shown, StatusBadges, Time } from '../ui/parts.js';
import { Filters, Listing, Table, type Column } from '../ui/table.js';
import type { Session } from '../wire/types.js';

/** The columns of sessions, shared by their list and the home page. */
export function useSessionColumns(): readonly Column<Session>[] {
  const { t, to } = useUi();
  return [
    {
      name: 'amount',
      cell: ({ id, amount, currency }) => (
        <a class="row-link" href={to('session', id)}>
          <Amount amount={amount} currency={currency} />
        </a>
      ),
    },
    { name: 'status', cell: (one) => <StatusBadges {...one} /> },
    { name: 'flow', cell: ({ flow }) => (flow === null ? '–' : (t.flows[flow] ?? flow)) },
    {
      name: 'target',
      cell: ({ target_token: token, target_network: network }) => [token, network].filter(Boolean).join(' · ') || '–',
      isExtra: true,
    },
    { name: 'user_reference', cell: ({ user_reference: reference }) => <bdi>{reference ?? '–'}</bdi> },
    { name: 'created_at', cell: ({ created_at: at }) => <Time at={at} /> },
    { name: 'id', cell: ({ id }) => <code>{id}</code>, isExtra: true },
  ];
}

export function SessionTable({ rows }: { readonly rows: readonly Session[] }) {
  const { t } = useUi();
  return <Table caption={t.pages.sessions} columns={useSessionColumns()} rows={rows} keyOf={({ id }) => id} />;
}

export function SessionsView() {
  const { app, t } = useUi();
  const columns = useSessionColumns();
  return (
    <>
      <Heading title={t.pages.sessions} />
      <Filters name="sessions" />
      <Shown remote={app.loaded.sessions?.remote}>
        {(list) => <Listing name="sessions" list={list} columns={columns} keyOf={({ id }) => id} />}
      </Shown>
    </>
  );
}
