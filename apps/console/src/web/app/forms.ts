import type { Call } from '../wire/api.js';
import type { Mode } from '../wire/types.js';
import { type Field, given, instant, lines, type Spec, text, type Values } from './form-spec.js';
import { ADMIN, CHANGE, DECIDE, OPERATE, READ, SECRET, SUPPORT } from './permission.js';

/** The units of a span by which the clock is advanced. */
const SECONDS_OF: Readonly<Record<string, number>> = { minutes: 60, hours: 3_600, days: 86_400, seconds: 1 };

export const SCOPES = [
  '*',
  'sessions:read',
  'sessions:write',
  'transactions:read',
  'quotes:read',
  'quotes:write',
  'events:read',
  'webhooks:read',
  'webhooks:write',
  'branding:read',
  'branding:write',
  'rails:read',
  'rails:write',
  'pools:read',
  'pools:write',
  'test_helpers:write',
] as const;

const REFUND = {
  permission: SUPPORT,
  hasReason: true,
  fields: [
    { name: 'amount', kind: 'text' },
    { name: 'note', kind: 'text' },
  ],
  call: ({ amount, note }, refid) => ({
    method: 'POST',
    path: `transactions/${refid}/refund`,
    body: { ...given('amount', text(amount) || null), ...given('note', text(note) || null) },
  }),
} as const satisfies Spec;

const DOMAINS = {
  // The list is that of both modes, so live checkouts use it too.
  permission: OPERATE,
  hasReason: true,
  fields: [{ name: 'allowed_origins', kind: 'lines' }],
  call: (values) => ({
    method: 'PUT',
    path: 'domains',
    body: { allowed_origins: lines(values['allowed_origins']) },
  }),
} as const satisfies Spec;

/** The changes that the console can make, each with its fields and its call. */
export const FORMS = {
  replay: {
    permission: SUPPORT,
    fields: [],
    call: (_, id) => ({ method: 'POST', path: `deliveries/${id}/replay` }),
  },
  cancel_session: {
    permission: SUPPORT,
    fields: [],
    isDanger: true,
    call: (_, id) => ({ method: 'POST', path: `sessions/${id}/cancel` }),
  },
  resend_event: {
    permission: SUPPORT,
    fields: [],
    call: (_, id) => ({ method: 'POST', path: `events/${id}/resend` }),
  },
  test_event: {
    permission: SUPPORT,
    fields: [],
    call: () => ({ method: 'POST', path: 'endpoint/test' }),
  },
  check_signature: {
    permission: READ,
    fields: [{ name: 'header', kind: 'text', isRequired: true }],
    isRead: true,
    shows: 'result',
    call: ({ header }, id) => ({
      method: 'POST',
      path: `deliveries/${id}/check_signature`,
      body: { header: text(header) },
    }),
  },
  export_history: {
    permission: READ,
    fields: [],
    isRead: true,
    shows: 'text',
    call: (_, id) => ({ method: 'GET', path: `sessions/${id}/history/export` }),
  },
  export_test: {
    permission: READ,
    fields: [],
    isRead: true,
    shows: 'text',
    call: (_, id) => ({ method: 'GET', path: `sessions/${id}/test` }),
  },
  bulk_replay: {
    permission: SUPPORT,
    fields: [
      { name: 'event_types', kind: 'lines' },
      { name: 'created_after', kind: 'day' },
      { name: 'created_before', kind: 'day' },
    ],
    hasPreview: true,
    call: (values, _, isPreview) => ({
      method: 'POST',
      path: 'deliveries/replay',
      body: {
        ...given('event_types', lines(values['event_types'])),
        ...given('created_after', instant(values['created_after'])),
        ...given('created_before', instant(values['created_before'])),
        dry_run: isPreview,
      },
    }),
  },
  advance_clock: {
    permission: CHANGE,
    fields: [
      { name: 'span', kind: 'number', isRequired: true },
      { name: 'unit', kind: 'select', options: Object.keys(SECONDS_OF) },
    ],
    call: ({ span, unit }) => ({
      method: 'POST',
      path: 'clock/advance',
      body: { seconds: Number(text(span)) * (SECONDS_OF[text(unit)] ?? Number.NaN) },
    }),
  },
  advance_to_next: {
    permission: CHANGE,
    fields: [],
    call: () => ({ method: 'POST', path: 'clock/advance', body: { to_next: true } }),
  },
  save_checkpoint: {
    permission: CHANGE,
    fields: [{ name: 'name', kind: 'text', isRequired: true }],
    call: ({ name }) => ({ method: 'POST', path: 'checkpoints', body: { name: text(name) } }),
  },
  return_to_checkpoint: {
    permission: CHANGE,
    fields: [],
    call: (_, id) => ({ method: 'POST', path: `checkpoints/${id}/return` }),
  },
  delete_checkpoint: {
    permission: CHANGE,
    fields: [],
    isDanger: true,
    call: (_, id) => ({ method: 'DELETE', path: `checkpoints/${id}` }),
  },
  advance_to_end: {
    permission: CHANGE,
    fields: [],
    call: (_, id) => ({ method: 'POST', path: `sessions/${id}/advance` }),
  },
  endpoint: {
    permission: CHANGE,
    fields: [{ name: 'url', kind: 'url', isRequired: true }],
    call: ({ url }) => ({ method: 'PATCH', path: 'endpoint', body: { url: text(url) } }),
  },
  pause_endpoint: {
    permission: CHANGE,
    fields: [],
    call: () => ({ method: 'PATCH', path: 'endpoint', body: { paused: true } }),
  },
  resume_endpoint: {
    permission: CHANGE,
    fields: [],
    call: () => ({ method: 'PATCH', path: 'endpoint', body: { paused: false } }),
  },
  rotate_secret: {
    permission: SECRET,
    fields: [{ name: 'grace_period_seconds', kind: 'select', options: ['86400', '3600', '0'] }],
    shows: 'secret',
    call: (values) => ({
      method: 'POST',
      path: 'endpoint/rotate_secret',
      body: { grace_period_seconds: Number(text(values['grace_period_seconds'])) },
    }),
  },
  issue_key: {
    permission: SECRET,
    fields: [
      { name: 'type', kind: 'select', options: ['secret', 'publishable'] },
      { name: 'scopes', kind: 'checks', options: SCOPES },
      { name: 'allowed_ips', kind: 'lines' },
      { name: 'expires_at', kind: 'day' },
    ],
    shows: 'text',
    call: ({ type, scopes, allowed_ips: ips, expires_at: day }) => ({
      method: 'POST',
      path: 'keys',
      body: {
        type: text(type),
        // Restrictions exist for secret keys only.
        ...(text(type) === 'secret' && { ...given('scopes', lines(scopes)), ...given('allowed_ips', lines(ips)) }),
        ...given('expires_at', instant(day)),
      },
    }),
  },
  expire_key: {
    permission: SECRET,
    fields: [{ name: 'at', kind: 'day', isRequired: true }],
    call: ({ at }, id) => ({ method: 'POST', path: `keys/${id}/expire`, body: { at: instant(at) } }),
  },
  revoke_key: {
    permission: SECRET,
    fields: [],
    isDanger: true,
    call: (_, id) => ({ method: 'POST', path: `keys/${id}/revoke` }),
  },
  domains: DOMAINS,
  request_domains: DOMAINS,
  branding: {
    permission: CHANGE,
    fields: [
      { name: 'display_name', kind: 'text' },
      { name: 'accent_color', kind: 'color' },
      { name: 'theme', kind: 'select', options: ['', 'light', 'dark'] },
      { name: 'logo_url', kind: 'url' },
      { name: 'support_url', kind: 'url' },
    ],
    call: (values) => ({
      method: 'PUT',
      path: 'branding',
      body: Object.fromEntries(
        ['display_name', 'accent_color', 'theme', 'logo_url', 'support_url'].map((field) => [
          field,
          text(values[field]) || null,
        ]),
      ),
    }),
  },
  invite: {
    permission: ADMIN,
    fields: [
      { name: 'actor', kind: 'text', isRequired: true },
      { name: 'role', kind: 'select', options: ['viewer', 'support', 'developer', 'admin'] },
      { name: 'ttl_seconds', kind: 'select', options: ['600', '3600', '60'] },
    ],
    shows: 'url',
    call: ({ actor, role, ttl_seconds: ttl }) => ({
      method: 'POST',
      path: 'team/invites',
      body: { actor: text(actor), role: text(role), ttl_seconds: Number(text(ttl)) },
    }),
  },
  end_access: {
    permission: ADMIN,
    fields: [],
    isDanger: true,
    call: (_, id) => ({ method: 'DELETE', path: `team/${id}` }),
  },
  add_passkey: {
    permission: READ,
    fields: [{ name: 'name', kind: 'text', isRequired: true }],
    hasReason: false,
    hasPasskey: true,
    call: ({ name }) => ({ method: 'POST', path: 'me/passkeys', body: { name: text(name) } }),
  },
  remove_passkey: {
    permission: READ,
    fields: [],
    hasReason: false,
    isDanger: true,
    call: (_, id) => ({ method: 'DELETE', path: `me/passkeys/${id}` }),
  },
  approve: {
    permission: DECIDE,
    fields: [],
    hasReason: false,
    call: ({ digest }, id) => ({ method: 'POST', path: `approvals/${id}/approve`, body: { digest: text(digest) } }),
  },
  decline: {
    // Also to withdraw one's own request.
    permission: SUPPORT,
    fields: [],
    hasReason: true,
    isDanger: true,
    call: (_, id) => ({ method: 'POST', path: `approvals/${id}/decline` }),
  },
  collect: {
    permission: DECIDE,
    fields: [],
    hasReason: false,
    shows: 'text',
    call: (_, id) => ({ method: 'POST', path: `approvals/${id}/collect` }),
  },
  replay_dead: {
    permission: SUPPORT,
    fields: [],
    hasPreview: true,
    hasReason: true,
    // The subject is `mode/partner`, as in URLs of the page.
    call: (_, subject, isPreview) => {
      const [mode = '', partner = ''] = decodeURIComponent(subject).split('/');
      const scope = new URLSearchParams({ partner, mode });
      return { method: 'POST', path: `deliveries/replay?${scope}`, body: { dry_run: isPreview } };
    },
  },
  move_balance: {
    permission: OPERATE,
    hasReason: true,
    fields: [
      { name: 'currency', kind: 'text', isRequired: true },
      { name: 'amount', kind: 'text', isRequired: true },
      { name: 'reference', kind: 'text', isRequired: true },
    ],
    // The subject is `partner/pool`.
    call: ({ currency, amount, reference }, subject) => {
      const [partner = '', pool = ''] = decodeURIComponent(subject).split('/').map(encodeURIComponent);
      const body = { currency: text(currency), amount: text(amount), reference: text(reference) };
      return { method: 'POST', path: `partners/${partner}/pools/${pool}/movements`, body };
    },
  },
  refund: REFUND,
  request_refund: REFUND,
  pause_wallet: {
    permission: OPERATE,
    fields: [],
    hasReason: true,
    isDanger: true,
    call: (_, network) => ({ method: 'POST', path: `wallets/${network}/pause` }),
  },
  resume_wallet: {
    permission: OPERATE,
    fields: [],
    hasReason: true,
    call: (_, network) => ({ method: 'POST', path: `wallets/${network}/resume` }),
  },
  resolve_operation: {
    permission: OPERATE,
    hasReason: true,
    fields: [{ name: 'as', kind: 'select', options: ['refunded', 'delivered', 'failed'] }],
    call: (values, id) => ({ method: 'POST', path: `operations/${id}/resolve`, body: { as: text(values['as']) } }),
  },
  suspend: {
    permission: OPERATE,
    fields: [],
    hasReason: true,
    isDanger: true,
    call: (_, id) => ({ method: 'POST', path: `partners/${id}/suspend` }),
  },
  reinstate: {
    permission: OPERATE,
    fields: [],
    hasReason: true,
    call: (_, id) => ({ method: 'POST', path: `partners/${id}/reinstate` }),
  },
} as const satisfies Record<string, Spec>;

export type FormName = keyof typeof FORMS;

export const specOf = (name: FormName): Spec => FORMS[name];

/** The fields of a form. In live mode every change has a reason. */
export function fieldsOf(name: FormName, mode: Mode): readonly Field[] {
  const spec = specOf(name);
  const hasReason = spec.isRead !== true && (spec.hasReason ?? mode === 'live');
  return hasReason ? [...spec.fields, { name: 'reason', kind: 'text', isRequired: true }] : spec.fields;
}

/** The call that a form makes, with the reason if there is one. */
export function callOf(name: FormName, values: Values, subject: string, isPreview = false): Call {
  const call = specOf(name).call(values, encodeURIComponent(subject), isPreview);
  const reason = text(values['reason']);
  return reason === '' ? call : { ...call, body: { ...call.body, reason } };
}
