import { isOperator } from '../app/app.js';
import { lines } from '../app/form-spec.js';
import { useUi } from '../ui/context.js';
import { Badge, Empty, Fact, Facts, Heading, Opens, Panel, ReadOnlyNote, Shown, Time } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import type { Access, Endpoint, Key } from '../wire/types.js';
import { BrandPreview } from './brand-preview.js';

/** The webhook endpoint: its URL, health, and the secret with its overlap. */
export function EndpointView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.endpoint} />
      <ReadOnlyNote form="endpoint" />
      <Shown remote={app.loaded.endpoint?.remote}>
        {(endpoint) => (
          <>
            <EndpointHealth endpoint={endpoint} />
            <Panel
              title={t.endpoint.secret}
              actions={
                <Opens
                  form="rotate_secret"
                  label={t.forms.rotate_secret.title}
                  values={{ grace_period_seconds: '86400' }}
                />
              }
            >
              <Facts>
                <Fact name={t.endpoint.secret}>
                  <code>{endpoint.secret_prefix === null ? '–' : `${endpoint.secret_prefix}…`}</code>
                </Fact>
                <Fact name={t.fields['grace_period_seconds'] ?? ''}>
                  {typeof endpoint.previous_secret_expires_at === 'string' ? (
                    <span class="badge badge-note">
                      {t.endpoint.overlap} <Time at={endpoint.previous_secret_expires_at} isFull />
                    </span>
                  ) : (
                    t.endpoint.noOverlap
                  )}
                </Fact>
              </Facts>
            </Panel>
          </>
        )}
      </Shown>
    </>
  );
}

function EndpointHealth({ endpoint }: { readonly endpoint: Endpoint }) {
  const { t } = useUi();
  return (
    <Panel
      title={t.home.endpoint}
      actions={
        <>
          {endpoint.url !== null && <Opens form="test_event" />}
          <Opens form="endpoint" label={t.edit} values={{ url: endpoint.url ?? '' }} />
          {endpoint.paused_at === null ? <Opens form="pause_endpoint" /> : <Opens form="resume_endpoint" isMain />}
        </>
      }
    >
      <Facts>
        <Fact name={t.columns['url'] ?? ''}>
          <bdi dir="ltr">{endpoint.url ?? '–'}</bdi>
        </Fact>
        <Fact name={t.endpoint.health}>
          <Badge status={endpoint.status} />
        </Fact>
        <Fact name={t.endpoint.failures}>{endpoint.consecutive_failures}</Fact>
        <Fact name={t.endpoint.lastSuccess}>
          <Time at={endpoint.last_success_at} isFull />
        </Fact>
        <Fact name={t.endpoint.lastFailure}>
          <Time at={endpoint.last_failure_at} isFull />
        </Fact>
        <Fact name={t.endpoint.lastError}>
          <code>{endpoint.last_error ?? '–'}</code>
        </Fact>
      </Facts>
    </Panel>
  );
}

export function KeysView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.keys}>
        <Opens form="issue_key" label={t.forms.issue_key.title} isMain values={{ type: 'secret', scopes: ['*'] }} />
      </Heading>
      <ReadOnlyNote form="issue_key" />
      <Shown remote={app.loaded.keys?.remote}>
        {({ data }) => (data.length === 0 ? <Empty text={t.empty['keys'] ?? ''} /> : <KeyTable rows={data} />)}
      </Shown>
    </>
  );
}

const stateOf = ({ revoked_at: revoked, expires_at: expires }: Key, now: number): string => {
  if (revoked !== null) return 'revoked';
  return expires !== null && Date.parse(expires) < now ? 'expired' : 'active';
};

function KeyTable({ rows }: { readonly rows: readonly Key[] }) {
  const { t, now } = useUi();
  return (
    <Table
      caption={t.pages.keys}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { name: 'key', cell: ({ type, hint }) => <KeyName type={type} hint={hint} /> },
        { name: 'status', cell: (key) => <Badge status={stateOf(key, now())} /> },
        { name: 'scopes', cell: ({ scopes }) => <span dir="ltr">{scopes.join(', ') || '–'}</span> },
        {
          name: 'allowed_ips',
          cell: ({ allowed_ips: ips }) => <span dir="ltr">{ips.join(', ') || t.any}</span>,
          isExtra: true,
        },
        { name: 'expires_at', cell: ({ expires_at: at }) => <Time at={at} /> },
        { name: 'last_used_at', cell: ({ last_used_at: at }) => <Time at={at} /> },
        {
          name: '',
          cell: (key) =>
            stateOf(key, now()) === 'active' && (
              <div class="actions">
                <Opens form="expire_key" subject={key.id} label={t.setExpiry} about={`${key.hint}…`} />
                <Opens form="revoke_key" subject={key.id} about={`${key.hint}…`} />
              </div>
            ),
        },
      ]}
    />
  );
}

function KeyName({ type, hint }: { readonly type: string; readonly hint: string }) {
  const { t } = useUi();
  return (
    <>
      {t.options[type] ?? type} <code dir="ltr">{hint}…</code>
    </>
  );
}

export function DomainsView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.domains} />
      <ReadOnlyNote form="domains" />
      <Shown remote={app.loaded.domains?.remote}>
        {({ allowed_origins: origins }) => (
          <Panel
            title={t.domains.title}
            actions={
              <Opens
                form={isOperator(app) ? 'domains' : 'request_domains'}
                {...(isOperator(app) && { label: t.edit })}
                values={{ allowed_origins: origins.join('\n') }}
              />
            }
          >
            <p class="quiet pad">{t.domains.lead}</p>
            {origins.length === 0 ? (
              <Empty text={t.empty['domains'] ?? ''} />
            ) : (
              <ul class="plain-list" dir="ltr">
                {lines(origins).map((origin) => (
                  <li key={origin}>
                    <code>{origin}</code>
                  </li>
                ))}
              </ul>
            )}
          </Panel>
        )}
      </Shown>
    </>
  );
}

export function BrandingView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.branding} />
      <ReadOnlyNote form="branding" />
      <Shown remote={app.loaded.branding?.remote}>
        {(branding) => {
          const values = {
            display_name: branding.display_name ?? '',
            accent_color: branding.accent_color ?? '',
            theme: branding.theme ?? '',
            logo_url: branding.logo_url ?? '',
            support_url: branding.support_url ?? '',
          };
          return (
            <div class="pair">
              <Panel title={t.details} actions={<Opens form="branding" label={t.edit} values={values} />}>
                <Facts>
                  {Object.entries(values).map(([field, value]) => (
                    <Fact key={field} name={t.fields[field] ?? field}>
                      <bdi>{field === 'theme' ? (t.options[value] ?? value) : value || '–'}</bdi>
                    </Fact>
                  ))}
                </Facts>
              </Panel>
              <BrandPreview values={values} />
            </div>
          );
        }}
      </Shown>
    </>
  );
}

const isLive = ({ state }: Access): boolean => state !== 'ended' && state !== 'expired';

export function TeamView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.team}>
        <Opens form="invite" label={t.forms.invite.title} isMain values={{ role: 'viewer', ttl_seconds: '600' }} />
      </Heading>
      <ReadOnlyNote form="invite" />
      <Shown remote={app.loaded.team?.remote}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty text={t.empty['team'] ?? ''} />
          ) : (
            <Table
              caption={t.pages.team}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { name: 'actor', cell: (access) => <bdi>{access.actor.id}</bdi> },
                { name: 'role', cell: ({ role }) => t.roles[role] ?? role },
                { name: 'created_at', cell: ({ created_at: at }) => <Time at={at} clock="live" /> },
                { name: 'expires_at', cell: ({ expires_at: at }) => <Time at={at} clock="live" /> },
                { name: 'passkeys', cell: ({ passkeys }) => passkeys, isExtra: true },
                {
                  name: 'status',
                  cell: ({ state }) => <Badge status={state} />,
                },
                {
                  name: '',
                  cell: (access) =>
                    isLive(access) && <Opens form="end_access" subject={access.id} about={access.actor.id} />,
                },
              ]}
            />
          )
        }
      </Shown>
    </>
  );
}

/** The passkeys of the person who is signed in. */
export function PasskeysView() {
  const { app, t } = useUi();
  return (
    <>
      <Heading title={t.pages.passkeys}>
        <Opens form="add_passkey" label={t.forms.add_passkey.title} isMain />
      </Heading>
      <p class="quiet">{t.door.own.lead}</p>
      <Shown remote={app.loaded.passkeys?.remote}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty text={t.empty['passkeys'] ?? ''} />
          ) : (
            <Table
              caption={t.pages.passkeys}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { name: 'name', cell: ({ name }) => <bdi>{name}</bdi> },
                { name: 'created_at', cell: ({ created_at: at }) => <Time at={at} clock="live" /> },
                { name: 'last_used_at', cell: ({ last_used_at: at }) => <Time at={at} clock="live" /> },
                { name: '', cell: ({ id, name }) => <Opens form="remove_passkey" subject={id} about={name} /> },
              ]}
            />
          )
        }
      </Shown>
    </>
  );
}
