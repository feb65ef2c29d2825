import { isOperator } from '../app/app.js';
import { useUi } from '../ui/context.js';
import {
  Amount,
  Badge,
  StatusBadges,
  Fact,
  Facts,
  Heading,
  Id,
  JsonPanel,
  Opens,
  Panel,
  Shown,
  Time,
  valueOf,
} from '../ui/parts.js';
import { Filters, Listing, type Column } from '../ui/table.js';
import type { Transaction } from '../wire/types.js';
import { Related } from './related.js';

export function TransactionsView() {
  const { app, t, to } = useUi();
  const columns: readonly Column<Transaction>[] = [
    {
      name: 'paid',
      cell: ({ refid, source }) => (
        <a class="row-link" href={to('transaction', refid)}>
          <Amount {...source} />
        </a>
      ),
    },
    {
      name: 'received',
      cell: (one) => (wasReceived(one) ? <Amount {...one.destination} /> : <span class="quiet">–</span>),
    },
    { name: 'status', cell: (one) => <StatusBadges {...one} /> },
    { name: 'flow', cell: ({ flow }) => t.flows[flow] ?? flow, isExtra: true },
    { name: 'payment_method', cell: ({ payment_method: method }) => method ?? '–' },
    { name: 'created_at', cell: ({ created_at: at }) => <Time at={at} /> },
    { name: 'id', cell: ({ refid }) => <code>{refid}</code>, isExtra: true },
  ];
  return (
    <>
      <Heading title={t.pages.transactions} />
      <Filters name="transactions" />
      <Shown remote={app.loaded.transactions?.remote}>
        {(list) => <Listing name="transactions" list={list} columns={columns} keyOf={({ refid }) => refid} />}
      </Shown>
    </>
  );
}

/** The amount is known before it is sent, and also if it never is. */
const wasReceived = ({ completed_at: at }: Transaction): boolean => at !== null;

export function TransactionView() {
  const { app, t } = useUi();
  const name = (field: string): string => t.columns[field] ?? field;
  const shown = valueOf(app.loaded.transaction?.remote);
  return (
    <>
      <Heading title={t.pages.transaction}>
        {shown !== null && (
          <>
            <Amount {...shown.source} />
            <StatusBadges {...shown} />
            {shown.status === 'completed' && shown.flow === 'on_ramp' && (
              <Opens form={isOperator(app) ? 'refund' : 'request_refund'} subject={shown.refid} about={shown.refid} />
            )}
          </>
        )}
      </Heading>
      <Shown remote={app.loaded.transaction?.remote}>
        {(one) => (
          <>
            <Panel title={t.details}>
              <Facts>
                <Fact name={name('id')}>
                  <Id id={one.refid} />
                </Fact>
                {one.session_id !== null && (
                  <Fact name={name('session_id')}>
                    <Id id={one.session_id} page="session" />
                  </Fact>
                )}
                <Fact name={name('paid')}>
                  <Amount {...one.source} />
                </Fact>
                <Fact name={name(wasReceived(one) ? 'received' : 'to_receive')}>
                  <Amount {...one.destination} />
                </Fact>
                <Fact name={name('fee_total')}>
                  {one.fee_total === null ? '–' : <Amount amount={one.fee_total} currency={one.source.currency} />}
                </Fact>
                <Fact name={name('exchange_rate')}>
                  <bdi>{one.exchange_rate ?? '–'}</bdi>
                </Fact>
                <Fact name={name('payment_method')}>{one.payment_method ?? '–'}</Fact>
                <Fact name={name('wallet_address')}>
                  {one.wallet_address === null ? '–' : <Id id={one.wallet_address} />}
                </Fact>
                <Fact name={name('tx_hash')}>{one.tx_hash === null ? '–' : <Id id={one.tx_hash} />}</Fact>
                <Fact name={name('created_at')}>
                  <Time at={one.created_at} isFull />
                </Fact>
                <Fact name={name('completed_at')}>
                  <Time at={one.completed_at} isFull />
                </Fact>
              </Facts>
              <ol class="stages">
                {one.stages.map(({ type, status, failure_code: failure }) => (
                  <li key={type}>
                    <span>{type}</span>
                    <Badge status={status} />
                    {failure !== null && <code>{failure}</code>}
                  </li>
                ))}
              </ol>
            </Panel>
            <Related remote={app.loaded.object?.remote} />
            <JsonPanel value={one} />
          </>
        )}
      </Shown>
    </>
  );
}
