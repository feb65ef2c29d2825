import { useUi } from '../ui/context.js';
import { Fact, Facts, Heading, Id, JsonPanel, Opens, Panel, Shown, Time, valueOf } from '../ui/parts.js';
import { Filters, Listing, type Column } from '../ui/table.js';
import type { GateEvent } from '../wire/types.js';
import { Related } from './related.js';

/** The session that an event is about, if its data names one. */
function sessionOf({ data }: GateEvent): string | null {
  const id = data['object'] === 'gate_session' ? data['id'] : data['session_id'];
  return typeof id === 'string' ? id : null;
}

export function EventsView() {
  const { app, t, to } = useUi();
  const columns: readonly Column<GateEvent>[] = [
    {
      name: 'type',
      cell: ({ id, type }) => (
        <a class="row-link" href={to('event', id)}>
          {type}
        </a>
      ),
    },
    { name: 'sequence', cell: ({ sequence }) => sequence ?? '–' },
    { name: 'session_id', cell: (event) => <code>{sessionOf(event) ?? '–'}</code>, isExtra: true },
    { name: 'created_at', cell: ({ created_at: seconds }) => <Time at={seconds * 1000} /> },
    { name: 'id', cell: ({ id }) => <code>{id}</code>, isExtra: true },
  ];
  return (
    <>
      <Heading title={t.pages.events} />
      <Filters name="events" />
      <Shown remote={app.loaded.events?.remote}>
        {(list) => <Listing name="events" list={list} columns={columns} keyOf={({ id }) => id} />}
      </Shown>
    </>
  );
}

export function EventView() {
  const { app, t, to } = useUi();
  const shown = valueOf(app.loaded.event?.remote);
  const session = shown === null ? null : sessionOf(shown);
  return (
    <>
      <Heading title={shown?.type ?? t.pages.event}>
        {shown !== null && <Opens form="resend_event" subject={shown.id} />}
        {session !== null && typeof shown?.sequence === 'number' && (
          <a class="button" href={to('session', session, { sequence: String(shown.sequence) })}>
            {t.time.title}
          </a>
        )}
      </Heading>
      <Shown remote={app.loaded.event?.remote}>
        {(event) => (
          <>
            <Panel title={t.details}>
              <Facts>
                <Fact name={t.columns['id'] ?? ''}>
                  <Id id={event.id} />
                </Fact>
                {session !== null && (
                  <Fact name={t.columns['session_id'] ?? ''}>
                    <Id id={session} page="session" />
                  </Fact>
                )}
                <Fact name={t.columns['sequence'] ?? ''}>{event.sequence ?? '–'}</Fact>
                <Fact name={t.columns['created_at'] ?? ''}>
                  <Time at={event.created_at * 1000} isFull />
                </Fact>
              </Facts>
            </Panel>
            <Related remote={app.loaded.object?.remote} />
            <JsonPanel value={event} isOpen />
          </>
        )}
      </Shown>
    </>
  );
}
