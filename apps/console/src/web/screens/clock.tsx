import { useUi } from '../ui/context.js';
import { Empty, Heading, Opens, Panel, Shown, Time } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import type { Checkpoint, DueWork } from '../wire/types.js';

/** The time machine, forward: what is due next in the sandbox, and how to get there. */
export function ClockView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.clock}>
        <Opens form="advance_clock" values={{ span: '1', unit: 'hours' }} />
        <Opens form="advance_to_next" isMain />
      </Heading>
      <Shown remote={app.loaded.clock?.remote}>
        {({ now, due }) => (
          <>
            <Panel title={t.clock.now}>
              <div class="pad">
                <p>
                  <Time at={now} isFull />
                </p>
                <p class="quiet">{t.clock.lead}</p>
              </div>
            </Panel>
            <Panel title={t.clock.due}>
              {due.length === 0 ? <Empty text={t.clock.nothing} /> : <DueTable due={due} />}
            </Panel>
          </>
        )}
      </Shown>
      <Panel title={t.checkpoints.title} actions={<Opens form="save_checkpoint" values={{ name: '' }} />}>
        <p class="quiet pad">{t.checkpoints.lead}</p>
        <Shown remote={app.loaded.checkpoints?.remote}>
          {({ data }) =>
            data.length === 0 ? <Empty text={t.checkpoints.none} /> : <CheckpointTable checkpoints={data} />
          }
        </Shown>
      </Panel>
    </>
  );
}

function CheckpointTable({ checkpoints }: { readonly checkpoints: readonly Checkpoint[] }) {
  const { t } = useUi();
  return (
    <Table<Checkpoint>
      caption={t.checkpoints.title}
      rows={checkpoints}
      keyOf={({ id }) => id}
      columns={[
        { name: 'name', cell: ({ name }) => <bdi>{name}</bdi> },
        { name: 'at', cell: ({ created_at: at }) => <Time at={at} isFull /> },
        { name: 'sessions', cell: ({ sessions }) => sessions, isExtra: true },
        { name: 'payments', cell: ({ payments }) => payments, isExtra: true },
        {
          name: '',
          cell: ({ id, name }) => (
            <div class="actions">
              <Opens form="return_to_checkpoint" subject={id} about={name} />
              <Opens form="delete_checkpoint" subject={id} about={name} />
            </div>
          ),
        },
      ]}
    />
  );
}

function DueTable({ due }: { readonly due: readonly DueWork[] }) {
  const { t, to } = useUi();
  return (
    <Table<DueWork>
      caption={t.clock.due}
      rows={due}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'type',
          cell: ({ type, id, what }) =>
            type === 'webhook_delivery' ? (
              <a class="row-link" href={to('delivery', id)}>
                {what}
              </a>
            ) : (
              what
            ),
        },
        { name: 'at', cell: ({ due_at: at }) => <Time at={at} isFull /> },
        { name: 'attempts', cell: ({ attempts }) => attempts },
        {
          name: 'subject',
          cell: ({ subject_id: id }) =>
            id === null ? (
              '–'
            ) : (
              <a href={to('object', id)}>
                <code>{id}</code>
              </a>
            ),
          isExtra: true,
        },
      ]}
    />
  );
}
