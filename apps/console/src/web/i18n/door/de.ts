import type { enDoor } from './en.js';

export const deDoor: typeof enDoor = {
  opening: 'Anmeldung läuft …',
  title: 'Anmelden',
  no_session: 'Öffnen Sie den Link, mit dem Sie eingeladen wurden.',
  invalid_invite: 'Dieser Link wurde schon benutzt oder ist abgelaufen: Links gelten nur einmal und nur kurze Zeit.',
  expired: 'Ihre Anmeldung ist abgelaufen. Melden Sie sich wieder an.',
  left: 'Sie haben sich abgemeldet.',
  passkey_refused: 'Dieser Passkey öffnet die Konsole nicht, oder es dauerte zu lange.',
  enrolled: 'Ihr Passkey ist registriert. Melden Sie sich damit an.',
  enrolTitle: 'Passkey registrieren',
  enrolLead: 'Dieses Gerät bewahrt einen Passkey auf, mit dem Sie sich als Betreiber anmelden.',
  enrol: 'Registrieren',
  oidc: 'Single Sign-on',
  oidcEnd: 'Auch beim Anbieter abmelden',
  passkey: 'Mit Passkey anmelden',
  own: {
    lead: 'Mit einem Passkey melden Sie sich ohne Link wieder an, bis Ihr Zugang beendet wird. Ihr Gerät schützt ihn mit PIN, Gesicht oder Fingerabdruck.',
    notMade:
      'Es wurde kein Passkey erstellt. Vielleicht hat dieses Gerät schon einen; unter einer IP-Adresse erstellen Browser keinen.',
    forms: {
      add_passkey: {
        title: 'Passkey hinzufügen',
        lead: 'Ihr Browser bittet um eine Bestätigung. Am Namen erkennen Sie Ihre Passkeys, etwa am Gerät.',
        submit: 'Hinzufügen',
      },
      remove_passkey: {
        title: 'Diesen Passkey entfernen?',
        lead: 'Die Anmeldung damit ist nicht mehr möglich. Löschen Sie ihn auch auf Ihrem Gerät.',
        submit: 'Entfernen',
      },
    },
  },
  askTitle: 'In diesem Browser ist bereits eine Sitzung offen',
  askLead:
    'Nach der Anmeldung mit dem Link gehört zu dessen Konto, was Sie hier tun. Wenn Sie ihn nicht angefordert haben, bleiben Sie angemeldet.',
  askPasskeyLead: 'Nach der Anmeldung mit einem Passkey gehört zu dessen Konto, was Sie hier tun.',
  current: 'Jetzt angemeldet',
  linkOf: 'Der Link meldet an',
  stay: 'Angemeldet bleiben',
  useLink: 'Mit dem Link anmelden',
  usedTitle: 'Dieser Link gilt nicht mehr',
  unreachable: 'Die Konsole ist nicht erreichbar.',
  howTo: 'Bitten Sie den Betreiber dieses Servers um einen Link zur Anmeldung.',
  links: {
    command: 'Dieser Befehl auf dem Server erzeugt einen:',
    start: 'Der Server gibt bei jedem Start einen aus; ein Befehl kann hier keinen erzeugen.',
  },
};
