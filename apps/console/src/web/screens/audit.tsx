import type { ComponentChildren } from 'preact';
import { useUi } from '../ui/context.js';
import { Empty, Heading, Id, PartnerLink, Shown, Time } from '../ui/parts.js';
import { type Column, Filters, NextPage, Table } from '../ui/table.js';
import type { AuditEntry } from '../wire/types.js';

/** The entries of one partner. */
export function AuditView() {
  return <Entries name="audit" />;
}

/** The entries of all partners and of the installation. */
export function TrailView() {
  const partnerOf = ({ partner_id: id }: AuditEntry): ComponentChildren =>
    id === null ? '–' : <PartnerLink id={id} />;
  return <Entries name="trail" extra={[{ name: 'partner_id', cell: partnerOf }]} />;
}

function Entries({
  name,
  extra = [],
}: {
  readonly name: 'audit' | 'trail';
  readonly extra?: readonly Column<AuditEntry>[];
}) {
  const { app, t, to } = useUi();
  const query = app.route.page?.query ?? {};
  return (
    <>
      <Heading title={t.pages[name]} />
      <p class="fine quiet">{t.notes[name]}</p>
      <Filters name={name} />
      <Shown remote={app.loaded[name]?.remote}>
        {({ data, has_more: hasMore }) =>
          data.length === 0 ? (
            <Empty text={Object.keys(query).length === 0 ? (t.empty[name] ?? '') : t.emptyFiltered} />
          ) : (
            <>
              <Table<AuditEntry>
                caption={t.pages[name]}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { name: 'at', cell: ({ at }) => <Time at={at} clock="live" /> },
                  ...extra,
                  { name: 'actor', cell: ({ actor }) => <bdi>{[actor.type, actor.id].filter(Boolean).join(' ')}</bdi> },
                  { name: 'action', cell: ({ action }) => <code>{action}</code> },
                  {
                    name: 'target_object',
                    cell: ({ target }) =>
                      target === null ? (
                        '–'
                      ) : (
                        <>
                          {target.type} <Id id={target.id} />
                        </>
                      ),
                  },
                  { name: 'reason', cell: ({ reason }) => <bdi>{reason ?? '–'}</bdi> },
                ]}
              />
              {hasMore && <NextPage href={to(name, null, { ...query, before: String(data.at(-1)?.sequence ?? '') })} />}
            </>
          )
        }
      </Shown>
    </>
  );
}
