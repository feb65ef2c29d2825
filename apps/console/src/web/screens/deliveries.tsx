import { curlOf } from '../format/curl.js';
import { duration } from '../format/format.js';
import { useUi } from '../ui/context.js';
import { Badge, Copy, Fact, Facts, Heading, Id, JsonPanel, Opens, Panel, Shown, Time, valueOf } from '../ui/parts.js';
import { Filters, Listing, Table, type Column } from '../ui/table.js';
import type { Attempt, Delivery } from '../wire/types.js';
import { Related } from './related.js';

function useDeliveryColumns(): readonly Column<Delivery>[] {
  const { to } = useUi();
  return [
    {
      name: 'event_type',
      cell: ({ id, event_type: type }) => (
        <a class="row-link" href={to('delivery', id)}>
          {type}
        </a>
      ),
    },
    { name: 'status', cell: ({ status }) => <Badge status={status} /> },
    { name: 'attempts', cell: ({ attempt_count: made, max_attempts: most }) => <bdi>{`${made} / ${most}`}</bdi> },
    {
      name: 'response',
      cell: ({ last_response_status: status, last_error: error }) => <code>{status ?? error ?? '–'}</code>,
    },
    {
      name: 'url',
      cell: ({ url }) => (
        <bdi class="clip" dir="ltr">
          {url ?? '–'}
        </bdi>
      ),
      isExtra: true,
    },
    { name: 'created_at', cell: ({ created_at: at }) => <Time at={at} /> },
  ];
}

export function DeliveryTable({ rows }: { readonly rows: readonly Delivery[] }) {
  const { t } = useUi();
  return <Table caption={t.pages.deliveries} columns={useDeliveryColumns()} rows={rows} keyOf={({ id }) => id} />;
}

export function DeliveriesView() {
  const { app, t } = useUi();
  const columns = useDeliveryColumns();
  const query = app.route.page?.query ?? {};
  return (
    <>
      <Heading title={t.pages.deliveries}>
        <Opens
          form="bulk_replay"
          label={t.forms.bulk_replay.title}
          values={{
            event_types: query['event_type'] ?? '',
            created_after: query['created_after'] ?? '',
            created_before: query['created_before'] ?? '',
          }}
        />
      </Heading>
      <Filters name="deliveries" />
      <Shown remote={app.loaded.deliveries?.remote}>
        {(list) => <Listing name="deliveries" list={list} columns={columns} keyOf={({ id }) => id} />}
      </Shown>
    </>
  );
}

export function DeliveryView() {
  const { app, t } = useUi();
  const name = (field: string): string => t.columns[field] ?? field;
  const shown = valueOf(app.loaded.delivery?.remote);
  return (
    <>
      <Heading title={t.pages.delivery}>
        {shown !== null && (
          <>
            <Badge status={shown.status} />
            <Copy text={curlOf(shown)} label={t.attempts.copyCurl} />
            <Opens form="check_signature" subject={shown.id} />
            {shown.status === 'dead_lettered' ? (
              <Opens form="replay" subject={shown.id} isMain />
            ) : (
              <Opens form="resend_event" subject={shown.event_id} />
            )}
          </>
        )}
      </Heading>
      <Shown remote={app.loaded.delivery?.remote}>
        {(one) => (
          <>
            <Panel title={t.details}>
              <Facts>
                <Fact name={name('id')}>
                  <Id id={one.id} />
                </Fact>
                <Fact name={name('event_type')}>{one.event_type}</Fact>
                <Fact name={name('event_id')}>
                  <Id id={one.event_id} page="event" />
                </Fact>
                {one.session_id !== null && (
                  <Fact name={name('session_id')}>
                    <Id id={one.session_id} page="session" />
                  </Fact>
                )}
                <Fact name={name('url')}>
                  <bdi dir="ltr">{one.url ?? '–'}</bdi>
                </Fact>
                <Fact name={name('attempts')}>
                  <bdi>{`${one.attempt_count} / ${one.max_attempts}`}</bdi>
                </Fact>
                <Fact name={name('replays')}>{one.replay_count}</Fact>
                <Fact name={name('created_at')}>
                  <Time at={one.created_at} isFull />
                </Fact>
                {one.next_attempt_at !== null && (
                  <Fact name={name('next_attempt_at')}>
                    <Time at={one.next_attempt_at} isFull />
                  </Fact>
                )}
              </Facts>
            </Panel>
            <Panel title={t.attempts.title}>
              {one.attempts.length === 0 ? (
                <p class="quiet pad">{t.attempts.none}</p>
              ) : (
                <ol class="attempts">
                  {one.attempts.map((attempt) => (
                    <AttemptRow key={`${attempt.number} ${attempt.started_at}`} attempt={attempt} />
                  ))}
                </ol>
              )}
            </Panel>
            {typeof one.payload === 'string' && <JsonPanel title={t.attempts.request} value={readable(one.payload)} />}
            <Related remote={app.loaded.object?.remote} />
            <JsonPanel value={one} />
          </>
        )}
      </Shown>
    </>
  );
}

function AttemptRow({ attempt }: { readonly attempt: Attempt }) {
  const { t, locale } = useUi();
  const {
    number,
    trigger,
    started_at: at,
    duration_ms: ms,
    response_status: status,
    response_body: body,
    error,
  } = attempt;
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <li>
      <div class="attempt-top">
        <strong>{t.attempts.number(number)}</strong>
        <span class="badge badge-plain">{t.attempts.trigger[trigger] ?? trigger}</span>
        <span class={`badge badge-${isGood ? 'good' : 'bad'}`}>{status ?? error ?? '–'}</span>
        {ms !== null && <span class="quiet">{duration(locale, ms)}</span>}
        <span class="quiet">
          <Time at={at} isFull />
        </span>
      </div>
      {status !== null && (
        <details>
          <summary>{t.attempts.responseBody}</summary>
          {body === null || body === '' ? (
            <p class="quiet">{t.attempts.emptyBody}</p>
          ) : (
            <pre dir="ltr" tabIndex={0}>
              {body}
            </pre>
          )}
        </details>
      )}
    </li>
  );
}

/** The body with line breaks, to read. What is sent has none. */
function readable(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
}
