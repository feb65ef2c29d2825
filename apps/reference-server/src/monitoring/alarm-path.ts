import type { AlarmFields } from './recent-alarms.js';

/** The pages of the console by the id that they show; the first that an alarm names is the most specific. */
const PAGES = [
  ['delivery_id', 'delivery'],
  ['event_id', 'event'],
  ['intent_id', 'object'],
  ['refid', 'transaction'],
  ['session_id', 'session'],
] as const;

/** The place in the console of what an alarm concerns, such as `#/live/65f0…/session/65f1…`; null if it has no page. */
export function alarmPath(fields: AlarmFields): string | null {
  const { partner_id: partner, mode, operation_id: operation, network } = fields;
  if (typeof operation === 'string') return `#/operation/${encodeURIComponent(operation)}`;
  if (typeof network === 'string') return '#/wallets';
  if (typeof partner !== 'string' || typeof mode !== 'string') return null;
  for (const [name, page] of PAGES) {
    const id = fields[name];
    if (typeof id === 'string') return `#/${mode}/${partner}/${page}/${encodeURIComponent(id)}`;
  }
  return `#/${mode}/${partner}/home`;
}

/** The link to it, for people who read the alarm outside of the console. */
export function alarmLink(fields: AlarmFields, consoleUrl: string | null): { readonly link?: string } {
  const path = alarmPath(fields);
  return consoleUrl === null || path === null ? {} : { link: new URL(path, consoleUrl).href };
}
