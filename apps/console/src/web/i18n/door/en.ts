/** Texts for people who are not signed in. English defines their shape. */
export const enDoor = {
  opening: 'Signing in…',
  title: 'Sign in',
  no_session: 'Open the link you were invited with.',
  invalid_invite: 'This link has been used or has expired: links work once, for a short time.',
  expired: 'Your session has ended. Sign in again.',
  left: 'You have signed out.',
  passkey_refused: 'This passkey does not open the console, or was not asked in time.',
  enrolled: 'Your passkey is registered. Sign in with it.',
  enrolTitle: 'Register a passkey',
  enrolLead: 'This device will keep a passkey that signs you in as an operator.',
  enrol: 'Register',
  oidc: 'Single sign-on',
  oidcEnd: 'Also sign out at the provider',
  passkey: 'Sign in with a passkey',
  own: {
    lead: 'A passkey signs you in again without a link, until your access is ended. Your device protects it by PIN, face or fingerprint.',
    notMade: 'No passkey was made. This device may have one already; at an IP address browsers make none.',
    forms: {
      add_passkey: {
        title: 'Add a passkey',
        lead: 'Your browser asks you to confirm. The name tells your passkeys apart, such as the device.',
        submit: 'Add',
      },
      remove_passkey: {
        title: 'Remove this passkey?',
        lead: 'It no longer signs in. Also delete it on your device.',
        submit: 'Remove',
      },
    },
  },
  askTitle: 'A session is already open in this browser',
  askLead:
    'After you use the link, what you do here belongs to its account. If you did not ask for it, stay signed in.',
  askPasskeyLead: 'After you sign in with a passkey, what you do here belongs to its account.',
  current: 'Signed in now',
  linkOf: 'The link signs in',
  stay: 'Stay signed in',
  useLink: 'Sign in with the link',
  usedTitle: 'This link no longer works',
  unreachable: 'The console cannot be reached.',
  howTo: 'Ask the operator of this server for a sign-in link.',
  links: {
    command: 'This command on the server makes one:',
    start: 'The server prints one each time it starts; no command can make one here.',
  },
};
