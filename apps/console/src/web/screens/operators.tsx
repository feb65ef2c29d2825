import { hrefOf, type PageName } from '../app/route.js';
import { useUi } from '../ui/context.js';
import {
  Badge,
  Fact,
  Facts,
  Heading,
  JsonPanel,
  MoreNote,
  Opens,
  Panel,
  PartnerLink,
  Shown,
  Time,
  valueOf,
} from '../ui/parts.js';
import { Table } from '../ui/table.js';
import type { Json } from '../wire/types.js';

type Fields = { readonly [field: string]: Json };

const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const suspendedOf = (partner: Fields): boolean =>
  typeof partner['suspended_at'] === 'string' || partner['status'] === 'suspended' || partner['suspended'] === true;

export function PartnersView() {
  const { app, t, to } = useUi();
  return (
    <>
      <Heading title={t.pages.partners} />
      <Shown remote={app.loaded.partners?.remote}>
        {({ data }) => (
          <Table<Fields>
            caption={t.pages.partners}
            rows={data}
            keyOf={(partner) => textOf(partner['id'])}
            columns={[
              {
                name: 'name',
                cell: (partner) => (
                  <a class="row-link" href={to('partner', textOf(partner['id']))}>
                    <bdi>{textOf(partner['name'])}</bdi>
                  </a>
                ),
              },
              { name: 'status', cell: (partner) => <Badge status={suspendedOf(partner) ? 'suspended' : 'active'} /> },
              { name: 'id', cell: (partner) => <code>{textOf(partner['id'])}</code> },
            ]}
          />
        )}
      </Shown>
    </>
  );
}

export function PartnerView({ id }: { readonly id: string }) {
  const { app, t } = useUi();
  const shown = valueOf(app.loaded.partner?.remote);
  return (
    <>
      <Heading title={shown === null ? t.pages.partner : textOf(shown['name'])}>
        {shown !== null && (
          <>
            <Badge status={suspendedOf(shown) ? 'suspended' : 'active'} />
            {(['test', 'live'] as const).map((mode) => (
              <a key={mode} class="button" href={hrefOf({ partner: id, mode }, 'home')}>
                {t.modes[mode]}
              </a>
            ))}
            <Opens form={suspendedOf(shown) ? 'reinstate' : 'suspend'} subject={id} />
          </>
        )}
      </Heading>
      <Shown remote={app.loaded.partner?.remote}>
        {(partner) => (
          <>
            <Panel title={t.details}>
              <FieldFacts value={partner} />
            </Panel>
            <JsonPanel value={partner} />
          </>
        )}
      </Shown>
    </>
  );
}

/** The fields of an object that hold one value each. */
function FieldFacts({ value }: { readonly value: Fields }) {
  const { t } = useUi();
  const plain = Object.entries(value).filter(
    ([, one]) => one === null || typeof one !== 'object' || Array.isArray(one),
  );
  return (
    <Facts>
      {plain.map(([field, one]) => (
        <Fact key={field} name={t.columns[field] ?? field.replaceAll('_', ' ')}>
          {Array.isArray(one) ? <bdi>{one.map(textOf).join(', ') || '–'}</bdi> : <AnyValue name={field} value={one} />}
        </Fact>
      ))}
    </Facts>
  );
}

export function WorkView() {
  const { app, t } = useUi();
  const { stuck, oldest, held } = app.loaded;
  return (
    <>
      <Heading title={t.pages.work} />
      {(
        [
          [t.work.stuck, stuck?.remote],
          [t.work.oldest, oldest?.remote],
          [t.work.held, held?.remote],
        ] as const
      ).map(([title, remote]) => (
        <Panel key={title} title={title}>
          <Shown remote={remote}>{(value) => <AnyRows value={value} title={title} />}</Shown>
        </Panel>
      ))}
    </>
  );
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The time when a row was read, by the clock of its own sandbox: its age is as of then. */
function nowOfRow({ since, due_at: dueAt, held_since: heldSince, age_seconds: age }: Fields): number | null {
  const from = since ?? dueAt ?? heldSince;
  return typeof from === 'string' && typeof age === 'number' ? Date.parse(from) + age * 1000 : null;
}

interface Valued {
  readonly name: string;
  readonly value: Json | undefined;
  readonly now?: number | null;
}

function AnyValue({ name, value, now = null }: Valued) {
  if (name === 'status' && typeof value === 'string') return <Badge status={value} />;
  if (typeof value === 'string' && INSTANT.test(value)) return <Time at={value} now={now} />;
  return <bdi>{textOf(value)}</bdi>;
}

const PAGES: Readonly<Record<string, PageName>> = {
  session_id: 'session',
  transaction_id: 'transaction',
  intent_id: 'object',
};

/** A value of a row, as a link where it is the id of a partner or of one of its objects. */
function AnyCell({ name, row }: { readonly name: string; readonly row: Fields }) {
  const { [name]: value, partner_id: partner, mode } = row;
  const plain = <AnyValue name={name} value={value} now={nowOfRow(row)} />;
  if (typeof value !== 'string' || typeof partner !== 'string') return plain;
  if (name === 'partner_id') return <PartnerLink id={value} />;
  const page = PAGES[name];
  if (page === undefined || (mode !== 'test' && mode !== 'live')) return plain;
  return (
    <a href={hrefOf({ partner, mode }, page, value)}>
      <code>{value}</code>
    </a>
  );
}

/** Rows of any shape, with the fields of the first one as columns. An object without rows is shown as its fields. */
function AnyRows({ value, title }: { readonly value: Json; readonly title: string }) {
  const { t } = useUi();
  const data = fieldsOf(value)['data'] ?? value;
  const rows = Array.isArray(data) ? data.map(fieldsOf) : null;
  if (rows === null) return <FieldFacts value={fieldsOf(value)} />;
  const [first] = rows;
  if (first === undefined) return <p class="quiet pad">{t.work.nothing}</p>;
  // Times are shown with the age that they had when the row was read.
  const names = Object.keys(first).filter((name) => name !== 'object' && name !== 'age_seconds');
  return (
    <>
      <Table<Fields>
        caption={title}
        rows={rows}
        keyOf={(row) => JSON.stringify(row)}
        columns={names.map((name) => ({ name, cell: (row: Fields) => <AnyCell name={name} row={row} /> }))}
      />
      <MoreNote isShown={fieldsOf(value)['has_more'] === true} />
    </>
  );
}

/** Nothing but objects has fields. The cast holds, since arrays are left out. */
const fieldsOf = (value: Json): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
