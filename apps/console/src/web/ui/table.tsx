import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { FILTERS, PAGE_SIZE } from '../app/needs.js';
import type { List } from '../wire/types.js';
import { useUi } from './context.js';
import { Empty } from './parts.js';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Hidden on narrow screens. */
  readonly isExtra?: boolean;
}

/** Rows of objects. On a phone each row is a block with its labels. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}) {
  const { t } = useUi();
  const titleOf = (name: string): string => t.columns[name] ?? name.replaceAll('_', ' ');
  return (
    // Roles are named, since the styles for phones take the tables their display types.
    <table class="table" role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ name, isExtra }) => (
            <th key={name} scope="col" role="columnheader" class={isExtra === true ? 'extra' : ''}>
              {name === '' ? <span class="unseen">{t.details}</span> : titleOf(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ name, cell, isExtra }) => (
              <td key={name} role="cell" data-label={titleOf(name)} class={isExtra === true ? 'extra' : ''}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The link to the next page of a list that has one direction. */
export function NextPage({ href }: { readonly href: string }) {
  const { t } = useUi();
  return (
    <nav class="pager" aria-label={t.next}>
      <a class="button" rel="next" href={href}>
        {t.next}
      </a>
    </nav>
  );
}

/** A list of objects with links to its neighbouring pages. */
export function Listing<Row>({
  name,
  list,
  columns,
  keyOf,
}: {
  readonly name: keyof typeof FILTERS;
  readonly list: List<Row>;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
}) {
  const { app, t, to } = useUi();
  const query = app.route.page?.query ?? {};
  const { starting_after: after, ending_before: before, after: _, ...filters } = query;
  const { next } = list;
  const nextPage = typeof next === 'string' ? <NextPage href={to(name, null, { ...filters, after: next })} /> : null;
  const [first, last] = [list.data[0], list.data.at(-1)];
  if (first === undefined || last === undefined)
    return (
      <>
        <Empty text={Object.keys(query).length === 0 ? (t.empty[name] ?? '') : t.emptyFiltered} />
        {nextPage}
      </>
    );
  const table = <Table caption={t.pages[name]} columns={columns} rows={list.data} keyOf={keyOf} />;
  if (next !== undefined)
    return (
      <>
        {table}
        {nextPage}
      </>
    );
  // A page that was reached backwards has a later one, and `has_more` is about the direction of travel.
  const hasNext = before !== undefined || list.has_more;
  const hasPrevious = before === undefined ? after !== undefined : list.has_more;
  return (
    <>
      {table}
      {(hasNext || hasPrevious || list.data.length > PAGE_SIZE) && (
        <nav class="pager" aria-label={`${t.previous} / ${t.next}`}>
          {hasPrevious && (
            <a class="button" rel="prev" href={to(name, null, { ...filters, ending_before: keyOf(first) })}>
              {t.previous}
            </a>
          )}
          {hasNext && (
            <a class="button" rel="next" href={to(name, null, { ...filters, starting_after: keyOf(last) })}>
              {t.next}
            </a>
          )}
        </nav>
      )}
    </>
  );
}

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'sessions.status': ['open', 'completed', 'expired', 'cancelled'],
  payment: [
    'requires_action',
    'in_review',
    'processing',
    'completed',
    'declined',
    'failed',
    'abandoned',
    'partly_refunded',
    'refunded',
    'disputed',
    'charged_back',
    'dispute_won',
  ],
  'transactions.status': ['pending', 'processing', 'completed', 'failed', 'refunded', 'charged_back'],
  'deliveries.status': ['pending', 'retrying', 'delivered', 'dead_lettered'],
  flow: ['on_ramp', 'off_ramp', 'swap'],
};

const DAYS = new Set(['created_after', 'created_before', 'from', 'to']);

/** The filters of a list, kept in the address. */
export function Filters({ name }: { readonly name: keyof typeof FILTERS }) {
  const { app, t, send, to } = useUi();
  const query = app.route.page?.query ?? {};
  const { starting_after: _, ending_before: __, before: ___, after: ____, ...chosen } = query;
  const choose = (field: string, value: string): void => {
    const { [field]: _____, ...rest } = chosen;
    send({ type: 'moved', query: value === '' ? rest : { ...rest, [field]: value.trim() } });
  };
  return (
    <form class="filters" role="search" aria-label={t.filters} onSubmit={(event) => event.preventDefault()}>
      {FILTERS[name].map((field) => {
        const options = CHOICES[`${name}.${field}`] ?? CHOICES[field];
        const id = `filter-${field}`;
        return (
          <label key={field} htmlFor={id}>
            <span>{t.columns[field] ?? field}</span>
            {options === undefined ? (
              <FilterInput
                id={id}
                type={DAYS.has(field) ? 'date' : 'text'}
                // A link from another page may name an instant of the day.
                chosen={DAYS.has(field) ? (chosen[field] ?? '').slice(0, 10) : (chosen[field] ?? '')}
                onChosen={(value) => choose(field, value)}
              />
            ) : (
              <select
                id={id}
                value={chosen[field] ?? ''}
                onChange={({ currentTarget }) => choose(field, currentTarget.value)}
              >
                <option value="">{t.any}</option>
                {options.map((option) => (
                  <option key={option} value={option}>
                    {(field === 'payment' ? t.payments[option] : t.status[option]) ?? t.flows[option] ?? option}
                  </option>
                ))}
              </select>
            )}
          </label>
        );
      })}
      {Object.keys(chosen).length > 0 && (
        <a class="button button-plain" href={to(name)}>
          {t.clear}
        </a>
      )}
    </form>
  );
}

/** A field that keeps what is being typed: the page is drawn again whenever an answer arrives. */
function FilterInput({
  id,
  type,
  chosen,
  onChosen,
}: {
  readonly id: string;
  readonly type: 'date' | 'text';
  readonly chosen: string;
  readonly onChosen: (value: string) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      id={id}
      type={type}
      value={typed ?? chosen}
      dir="auto"
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => {
        setTyped(null);
        onChosen(currentTarget.value);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
