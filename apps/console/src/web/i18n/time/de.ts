import type { TimeMessages } from './en.js';

/** Texts of the time machine. */
export const deTime: TimeMessages = {
  time: {
    title: 'Zeitmaschine',
    lead: 'Bewegen Sie sich entlang der Ereignisse dieser Sitzung und sehen Sie alles, wie es damals war.',
    slider: 'Schritt',
    step: (at, of, type) => `Schritt ${at} von ${of}: ${type}`,
    earlier: 'Früherer Schritt',
    later: 'Späterer Schritt',
    latest: 'Neuester',
    session: 'Sitzung',
    transaction: 'Transaktion',
    intents: 'Zahlungsversuche',
    deliveries: 'Zustellungen zu diesem Zeitpunkt',
    notKept: 'Bestand schon; der Stand bei diesem Schritt wurde nicht aufbewahrt:',
    incomplete: 'Diese Sitzung hat mehr Ereignisse, Zahlungen oder Zustellungen, als gezeigt werden.',
    parts: { refund: 'Erstattung', dispute: 'Anfechtung' },
    nothingYet: 'Gab es noch nicht.',
    changed: (n) => (n === 1 ? '1 Änderung' : `${n} Änderungen`),
    unchanged: 'Keine Änderung',
    was: 'vorher',
    added: 'neu',
    removed: 'entfernt',
    empty: 'Diese Sitzung hat noch keine Ereignisse.',
  },
  clock: {
    now: 'Zeit dieser Sandbox',
    lead: 'Nur diese Sandbox wird bewegt. Die Zeit läuft nie zurück.',
    due: 'Als Nächstes fällig',
    nothing: 'Es ist nichts fällig.',
  },
  checkpoints: {
    title: 'Sicherungspunkte',
    lead: 'Ein Sicherungspunkt sichert Sitzungen, Zahlungen und anstehende Arbeit dieser Sandbox unter einem Namen. Nach der Rückkehr bleibt bis zu jeder Frist so viel Zeit wie beim Sicherungspunkt. Uhr und Ereignisnummern laufen nicht zurück.',
    none: 'Noch keine Sicherungspunkte.',
  },
  file: {
    choose: 'Datei wählen',
    lead: 'Öffnet einen Verlauf, der aus einer Konsole exportiert wurde. Die Datei wird nur in diesem Browser gelesen und nicht hochgeladen.',
    invalid: 'Diese Datei ist kein exportierter Verlauf.',
    of: (id: string) => `Sitzung ${id}`,
    download: 'Als Datei speichern',
  },
  fields: { span: 'Wie lange', unit: 'Einheit' },
  options: { minutes: 'Minuten', hours: 'Stunden', days: 'Tage', seconds: 'Sekunden' },
  forms: {
    export_history: {
      title: 'Verlauf exportieren',
      lead: 'Erstellt eine Datei, die jede Konsole öffnen kann. Werte, die persönlich oder geheim sein können, sind durch [redacted] ersetzt.',
      submit: 'Exportieren',
    },
    save_checkpoint: {
      title: 'Sicherungspunkt anlegen',
      lead: 'Sichert den Zustand dieser Sandbox unter einem Namen, damit Sie dorthin zurückkehren können.',
      submit: 'Sicherungspunkt anlegen',
    },
    return_to_checkpoint: {
      title: 'Zu diesem Sicherungspunkt zurückkehren?',
      lead: 'Sitzungen und Zahlungen kehren zu ihrem Stand am Sicherungspunkt zurück. Seitdem eröffnete offene Sitzungen laufen ab. Seitdem gemeldete Ereignisse werden noch zugestellt.',
      submit: 'Zurückkehren',
    },
    delete_checkpoint: {
      title: 'Diesen Sicherungspunkt löschen?',
      lead: 'Die Sandbox bleibt, wie sie ist. Zu diesem Zustand können Sie nicht mehr zurückkehren.',
      submit: 'Löschen',
    },
    export_test: {
      title: 'Als Test exportieren',
      lead: 'Ein Test für createTestGate, der wiederholt, was mit dieser Sitzung geschah, nur mit Testdaten.',
      submit: 'Exportieren',
    },
    advance_clock: {
      title: 'Uhr vorstellen',
      lead: 'Alles, was dabei fällig wird, läuft zu seiner Zeit.',
      submit: 'Vorstellen',
    },
    advance_to_next: {
      title: 'Zum nächsten fälligen Vorgang?',
      lead: 'Die Uhr geht bis zur Zeit des nächsten Vorgangs und führt ihn aus.',
      submit: 'Nächster Vorgang',
    },
    advance_to_end: {
      title: 'Bis zum Ende vorstellen',
      lead: 'Führt Schritt für Schritt aus, was in dieser Sandbox fällig ist, bis diese Sitzung beendet ist und ihre Zustellungen ruhen. Die Zeit läuft nicht zurück.',
      submit: 'Vorstellen',
    },
  },
};
