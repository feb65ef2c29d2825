import type { enHome } from './en.js';

export const deHome: typeof enHome = {
  sessions: 'Sitzungen der letzten 24 Stunden',
  deliveries: 'Webhook-Zustellungen',
  endpoint: 'Endpunkt',
  recent: 'Neueste Sitzungen',
  waiting: 'Warten',
  dead: 'Aufgegeben',
  deliveredToday: 'Zugestellt, 24 Stunden',
  atLeast: (n) => `${n}+`,
  deadHint: 'Aufgegebene Zustellungen ansehen',
  alarms: {
    title: 'Alarme',
    evaluated: 'Ausgewertet',
    none: (n) => `Keiner der ${n} auswertbaren Alarme ist ausgelöst.`,
    notEvaluated: (n) => `${n} Alarme werden hier nicht ausgewertet`,
    notEvaluatedHint:
      'Über diese ist nichts bekannt. Ihr Monitoring wertet sie mit den Regeln in ops/prometheus-rules.yaml aus.',
    quiet: (n) => `${n} Alarme sind still`,
    name: 'Alarm',
    condition: 'Löst aus bei',
    since: 'Seit',
    value: 'Wert',
    covers: 'Gilt für',
    installation: 'alle Prozesse',
    process: 'nur diesen Prozess',
    states: { firing: 'ausgelöst', pending: 'anstehend', quiet: 'still', not_evaluated: 'nicht ausgewertet' },
    severities: { critical: 'kritisch', warning: 'Warnung' },
    reasons: { needs_history: 'braucht den Verlauf Ihres Monitorings', no_data: 'kein Wert vorhanden' },
  },
};
