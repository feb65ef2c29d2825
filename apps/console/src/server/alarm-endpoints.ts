import { ok } from 'neverthrow';
import * as z from 'zod';
import type { ConsoleAlarm } from './alarms-port.js';
import { endpoint } from './endpoint.js';
import { refuse } from './refusal.js';
import { isoOrNull, TIME } from './schemas.js';

const STATES = ['firing', 'pending', 'not_evaluated', 'inactive'] as const satisfies readonly ConsoleAlarm['state'][];

const ALARM = z
  .object({
    name: z.string(),
    severity: z.enum(['critical', 'warning']),
    state: z
      .enum(STATES)
      .describe(
        '`firing`: the condition holds. `pending`: it holds, but is not known to have held for as long as the alarm requires. `inactive`: it does not hold, as far as `covers` says. `not_evaluated`: the process that serves the console cannot know.',
      ),
    covers: z
      .enum(['installation', 'process'])
      .nullable()
      .describe('Whether the state is about all processes or only the one that serves the console.'),
    since: TIME.nullable().describe('The earliest time since which the condition is known to hold.'),
    value: z.number().nullable(),
    condition: z.string(),
    meaning: z.string().describe('What it means and what to do. Text in backticks is code.'),
    reason: z.enum(['needs_history', 'no_data']).nullable().describe('Why it was not evaluated.'),
    about: z
      .array(
        z.object({
          fields: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
          path: z.string().nullable().describe('The fragment of the page in the console.'),
          links: z.record(z.string(), z.string()).describe('The fragment of the page of each field that is an id.'),
        }),
      )
      .describe('What it was raised about, the latest first and at most ten.'),
  })
  .meta({ id: 'Alarm', description: 'A condition that needs an operator, as it is at the moment.' });

const ALARMS = z
  .object({ evaluated_at: TIME, data: z.array(ALARM) })
  .meta({ id: 'Alarms', description: 'Every alarm: those that fire first, then those that cannot be evaluated here.' });

export const ALARM_ENDPOINTS = [
  endpoint({
    name: 'listAlarms',
    method: 'GET',
    path: '/alarms',
    summary: 'List all alarms with their present state, for operators of all partners',
    audience: 'installation',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: ALARMS,
    success: 200,
    run: async ({ gate, alarms }) => {
      if (alarms === null) return refuse('not_available', 'This installation does not evaluate its alarms here.');
      const found = await alarms();
      const data = found
        .toSorted((one, other) => urgency(one) - urgency(other))
        .map((one): z.input<typeof ALARM> => ({
          ...one,
          since: isoOrNull(one.since),
          about: one.about.map((about) => ({ ...about, links: linksOf(about.fields) })),
        }));
      return ok({ json: { evaluated_at: new Date(gate.clock.now('live')).toISOString(), data } });
    },
  }),
];

type Fields = ConsoleAlarm['about'][number]['fields'];

/** The pages of a partner's objects, by the fields of alarms that contain their ids. */
const PAGES: Readonly<Record<string, string>> = {
  session_id: 'session',
  intent_id: 'object',
  refid: 'transaction',
  event_id: 'event',
  delivery_id: 'delivery',
};

function linksOf(fields: Fields): Readonly<Record<string, string>> {
  const { partner_id: partner, mode } = fields;
  const scope =
    typeof partner === 'string' && typeof mode === 'string' ? `${mode}/${encodeURIComponent(partner)}` : null;
  const linkOf = (name: string, id: string): string | null => {
    if (name === 'partner_id') return `#/partner/${id}`;
    if (name === 'operation_id') return `#/operation/${id}`;
    if (name === 'task_id') return '#/work';
    if (name === 'network') return '#/wallets';
    const page = PAGES[name];
    return page === undefined || scope === null ? null : `#/${scope}/${page}/${id}`;
  };
  const links: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    const link = typeof value === 'string' ? linkOf(name, encodeURIComponent(value)) : null;
    if (link !== null) links[name] = link;
  }
  return links;
}

const urgency = ({ state, severity }: ConsoleAlarm): number =>
  2 * STATES.indexOf(state) + (severity === 'critical' ? 0 : 1);
