import { hasClock, isOperator } from '../app/app.js';
import { useUi } from '../ui/context.js';
import {
  Amount,
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
import type { Found, Inspected } from '../wire/types.js';
import { DeliveryTable } from './deliveries.js';
import { Related } from './related.js';
import { TimeMachine } from './time-machine.js';

/** A session: what it is, its time machine, and what it led to. */
export function SessionView() {
  const { app, t } = useUi();
  const { session, history, deliveries, object } = app.loaded;
  const shown = valueOf(session?.remote);
  const paid = shown === null || shown.flow === 'off_ramp' ? undefined : paidOf(valueOf(object?.remote));
  return (
    <>
      <Heading title={t.pages.session}>
        {shown !== null && (
          <>
            <Amount amount={shown.amount} currency={shown.currency} />
            <StatusBadges {...shown} />
            {shown.status === 'open' && <Opens form="cancel_session" subject={shown.id} />}
            {paid !== undefined && <Opens form={isOperator(app) ? 'refund' : 'request_refund'} subject={paid.id} />}
          </>
        )}
      </Heading>
      <Shown remote={session?.remote}>
        {(one) => (
          <>
            <Panel title={t.details}>
              <Facts>
                <Fact name={t.columns['id'] ?? ''}>
                  <Id id={one.id} />
                </Fact>
                <Fact name={t.columns['flow'] ?? ''}>{one.flow === null ? '–' : (t.flows[one.flow] ?? one.flow)}</Fact>
                <Fact name={t.columns['target'] ?? ''}>
                  {[one.target_token, one.target_network].filter(Boolean).join(' · ') || '–'}
                </Fact>
                <Fact name={t.columns['user_reference'] ?? ''}>
                  <bdi>{one.user_reference ?? '–'}</bdi>
                </Fact>
                <Fact name={t.columns['created_at'] ?? ''}>
                  <Time at={one.created_at} isFull />
                </Fact>
                <Fact name={t.columns['expires_at'] ?? ''}>
                  <Time at={one.expires_at} isFull />
                </Fact>
              </Facts>
            </Panel>
            <Panel
              title={t.time.title}
              actions={
                <>
                  {hasClock(app) && (
                    <Opens form="advance_to_end" subject={one.id} label={t.forms.advance_to_end.title} />
                  )}
                  <Opens form="export_history" subject={one.id} label={t.forms.export_history.title} />
                  <Opens form="export_test" subject={one.id} label={t.forms.export_test.title} />
                </>
              }
            >
              <Shown remote={history?.remote}>{(value) => <TimeMachine history={value} />}</Shown>
            </Panel>
            <Panel title={t.pages.deliveries}>
              <Shown remote={deliveries?.remote}>
                {({ data }) =>
                  data.length === 0 ? <p class="quiet pad">{t.empty['deliveries']}</p> : <DeliveryTable rows={data} />
                }
              </Shown>
            </Panel>
            <Related remote={object?.remote} />
            <JsonPanel value={one} />
          </>
        )}
      </Shown>
    </>
  );
}

/** The transaction of which money can be refunded. */
const paidOf = (inspected: Inspected | null): Found | undefined =>
  inspected?.caused.find(({ type, label }) => type === 'transaction' && label === 'completed');
