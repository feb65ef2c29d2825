import { useUi } from '../ui/context.js';
import { Badge, Empty, Fact, Facts, Heading, Id, Opens, Panel, PartnerLink, Shown, Time } from '../ui/parts.js';
import type { Approval, Json } from '../wire/types.js';

/** Changes that require a second person: the one that was searched for, then open requests, each with the exact change. */
export function ApprovalsView() {
  const { app, t } = useUi();
  const wanted = app.route.page?.query['id'];
  const rank = (one: Approval): number => (one.id === wanted ? 2 : Number(isOpen(one)));
  return (
    <>
      <Heading title={t.pages.approvals} />
      <p class="quiet">{t.approvals.lead}</p>
      <Shown remote={app.loaded.approvals?.remote}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty text={t.empty['approvals'] ?? ''} />
          ) : (
            data
              .toSorted((one, other) => rank(other) - rank(one))
              .map((one) => <ApprovalPanel key={one.id} approval={one} />)
          )
        }
      </Shown>
    </>
  );
}

const isOpen = ({ state, can }: Approval): boolean => state === 'pending' || can.collect;

function ApprovalPanel({ approval }: { readonly approval: Approval }) {
  const { t } = useUi();
  const { id, operation, digest, state, can, partner_id: partner, mode } = approval;
  const title = t.approvals.operations[operation] ?? operation;
  const values = { digest };
  return (
    <Panel
      title={title}
      actions={
        <>
          <Badge status={state} />
          {can.decline && <Opens form="decline" subject={id} about={title} />}
          {can.approve && <Opens form="approve" subject={id} values={values} about={title} isMain />}
          {can.collect && <Opens form="collect" subject={id} about={title} isMain />}
        </>
      }
    >
      <Facts>
        {changeOf(approval).map(([name, value]) => (
          <Fact key={name} name={t.fields[name] ?? t.columns[name] ?? name.replaceAll('_', ' ')}>
            <bdi>{t.options[textOf(value)] ?? textOf(value)}</bdi>
          </Fact>
        ))}
        {partner !== null && (
          <Fact name={t.partner}>
            <PartnerLink id={partner} mode={mode} />
          </Fact>
        )}
        <Fact name={t.fields['reason'] ?? ''}>
          <bdi>{approval.reason}</bdi>
        </Fact>
        <Fact name={t.approvals.requested}>
          <bdi>{approval.requested_by.id}</bdi> · <Time at={approval.requested_at} clock="live" />
        </Fact>
        {approval.decided_by !== null && (
          <Fact name={t.approvals.decided}>
            <bdi>{approval.decided_by.id}</bdi> · <Time at={approval.decided_at} clock="live" />
          </Fact>
        )}
        {approval.note !== null && (
          <Fact name={t.approvals.note}>
            <bdi>{approval.note}</bdi>
          </Fact>
        )}
        {isOpen(approval) && (
          <Fact name={t.approvals.until}>
            <Time at={approval.expires_at} isFull clock="live" />
          </Fact>
        )}
        <Fact name={t.columns['id'] ?? ''}>
          <Id id={id} />
        </Fact>
        <Fact name={t.approvals.digest}>
          <Id id={digest} />
        </Fact>
      </Facts>
    </Panel>
  );
}

const changeOf = ({ change: { params, body } }: Approval): readonly (readonly [string, Json])[] => [
  ...Object.entries(params),
  ...Object.entries(body),
];

const textOf = (value: Json): string => {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};
