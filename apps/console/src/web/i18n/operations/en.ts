/** Texts of approvals and of the screens of operators, which English defines. */
export const enOperations = {
  pages: { approvals: 'Approvals' },
  notices: { requested: 'Requested. A second person has to approve it on the page Approvals.' },
  empty: { approvals: 'Live keys, balances of pools and resolutions appear here until a second person approves them.' },
  status: { approved: 'approved', declined: 'declined', done: 'done' },
  fields: { amount: 'Amount', reference: 'Reference' },
  approvals: {
    lead: 'These changes are made once a person other than the one who asked has approved them.',
    requested: 'Requested by',
    decided: 'Decided by',
    note: 'Note',
    until: 'Open until',
    digest: 'Digest of the change',
    operations: {
      createKey: 'Issue a live key',
      movePoolBalance: 'Move the balance of a pool',
    } as Readonly<Record<string, string>>,
  },
  forms: {
    approve: {
      title: 'Approve this change?',
      lead: 'It is made as shown, in the name of the person who asked. The audit log names you both.',
      submit: 'Approve',
    },
    decline: {
      title: 'Decline this change?',
      lead: 'It will not be made. A new request is needed.',
      submit: 'Decline',
    },
    collect: { title: 'Take the key', lead: 'The key is made now and shown to you once.', submit: 'Show key' },
  },
};

export type OperationMessages = typeof enOperations;
