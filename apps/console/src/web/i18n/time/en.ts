/** Texts of the time machine, the sandbox clock and checkpoints. English defines their shape. */
export const enTime = {
  time: {
    title: 'Time machine',
    lead: 'Move along the events of this session to see everything as it was then.',
    slider: 'Step',
    step: (at: number, of: number, type: string) => `Step ${at} of ${of}: ${type}`,
    earlier: 'Earlier step',
    later: 'Later step',
    latest: 'Latest',
    session: 'Session',
    transaction: 'Transaction',
    intents: 'Intents',
    deliveries: 'Deliveries at that instant',
    notKept: 'Existed, but its state at this step was not kept:',
    incomplete: 'This session has more events, payments or deliveries than are shown.',
    parts: { refund: 'Refund', dispute: 'Dispute' } as Readonly<Record<string, string>>,
    nothingYet: 'Did not exist yet.',
    changed: (n: number) => (n === 1 ? '1 change' : `${n} changes`),
    unchanged: 'No change',
    was: 'was',
    added: 'added',
    removed: 'removed',
    empty: 'This session has no events yet.',
  },
  clock: {
    now: 'Time of this sandbox',
    lead: 'Only this sandbox moves. Time never goes back.',
    due: 'Due next',
    nothing: 'Nothing is due.',
  },
  checkpoints: {
    title: 'Checkpoints',
    lead: 'A checkpoint saves the sessions, payments and pending work of this sandbox under a name. After you return to it, the time left until each deadline is the same as at the checkpoint. The clock and event numbers do not go back.',
    none: 'No checkpoints yet.',
  },
  file: {
    choose: 'Choose a file',
    lead: 'Open a history that was exported from a console. The file is read in this browser and never uploaded.',
    invalid: 'This file is not an exported history.',
    of: (id: string) => `Session ${id}`,
    download: 'Save as file',
  },
  fields: { span: 'How long', unit: 'Unit' },
  options: { minutes: 'Minutes', hours: 'Hours', days: 'Days', seconds: 'Seconds' },
  forms: {
    export_history: {
      title: 'Export history',
      lead: 'Creates a file that any console can open. Values that may be personal or secret are replaced by [redacted].',
      submit: 'Export',
    },
    save_checkpoint: {
      title: 'Save a checkpoint',
      lead: 'Saves the state of this sandbox under a name, so that you can return to it.',
      submit: 'Save checkpoint',
    },
    return_to_checkpoint: {
      title: 'Return to this checkpoint?',
      lead: 'Sessions and payments return to their state at the checkpoint. Open sessions created since expire. Events announced since are still delivered.',
      submit: 'Return',
    },
    delete_checkpoint: {
      title: 'Delete this checkpoint?',
      lead: 'The sandbox stays as it is. You can no longer return to this state.',
      submit: 'Delete',
    },
    export_test: {
      title: 'Export as test',
      lead: 'A test for createTestGate that repeats what happened to this session, with test data only.',
      submit: 'Export',
    },
    advance_clock: {
      title: 'Advance the clock',
      lead: 'Everything that becomes due on the way runs at its time.',
      submit: 'Advance',
    },
    advance_to_next: {
      title: 'Go to what is due next?',
      lead: 'The clock moves to the time of the next item and runs it.',
      submit: 'Next item',
    },
    advance_to_end: {
      title: 'Advance to the end',
      lead: 'Runs what is due in this sandbox, item by item, until this session has ended and its deliveries have finished. Time does not go back.',
      submit: 'Advance',
    },
  },
};

export type TimeMessages = typeof enTime;
