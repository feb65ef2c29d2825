import type { OperationMessages } from './en.js';

export const deOperations: OperationMessages = {
  pages: { approvals: 'Freigaben' },
  notices: { requested: 'Angefragt. Eine zweite Person muss es auf der Seite „Freigaben“ freigeben.' },
  empty: {
    approvals:
      'Live-Schlüssel, Guthaben von Pools und Entscheidungen erscheinen hier, bis eine zweite Person sie freigibt.',
  },
  status: { approved: 'freigegeben', declined: 'abgelehnt', done: 'erledigt' },
  fields: { amount: 'Betrag', reference: 'Referenz' },
  approvals: {
    lead: 'Diese Änderungen geschehen, sobald eine andere als die anfragende Person sie freigegeben hat.',
    requested: 'Angefragt von',
    decided: 'Entschieden von',
    note: 'Anmerkung',
    until: 'Offen bis',
    digest: 'Prüfsumme der Änderung',
    operations: {
      createKey: 'Live-Schlüssel ausstellen',
      movePoolBalance: 'Guthaben eines Pools bewegen',
    },
  },
  forms: {
    approve: {
      title: 'Diese Änderung freigeben?',
      lead: 'Sie geschieht wie angezeigt, im Namen der anfragenden Person. Das Protokoll nennt Sie beide.',
      submit: 'Freigeben',
    },
    decline: {
      title: 'Diese Änderung ablehnen?',
      lead: 'Sie geschieht nicht. Es braucht dann eine neue Anfrage.',
      submit: 'Ablehnen',
    },
    collect: {
      title: 'Schlüssel abholen',
      lead: 'Der Schlüssel entsteht jetzt und wird Ihnen einmal gezeigt.',
      submit: 'Schlüssel zeigen',
    },
  },
};
