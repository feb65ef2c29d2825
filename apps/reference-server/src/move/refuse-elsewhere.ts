import { type Settings } from '@gateramp/core/ports';
import { moveNoteText, MOVE_SETTING, readMoveNote, type MoveNote } from '@gateramp/store-move';
import { StartError } from '../start-error.js';

/**
 * Who is about to use an installation: `serves` notes that it has been served since it arrived, so that no command undoes a
 * move back unawares.
 */
interface User {
  readonly dataDir: string | null;
  readonly serves: boolean;
}

/**
 * An installation is served in one place: not where it has left, and not where it has not arrived, or the same money
 * would be paid twice.
 */
export async function refuseElsewhere(settings: Settings, { dataDir, serves }: User): Promise<void> {
  const { text, note } = await readMoveNote(settings);
  if (note === null) return;
  const fault = faultOf(note, dataDir);
  if (fault !== null) throw new StartError([fault]);
  if (!serves || note.state !== 'arrived') return;
  const serving = moveNoteText({ state: 'serving', id: note.id });
  // Another process that undid the move at this moment, or serves as well, was faster.
  if ((await settings.swapSetting(MOVE_SETTING, text, serving)) !== serving)
    await refuseElsewhere(settings, { dataDir, serves });
}

/** Why an installation with this note is not to be used; null: it may be. */
export function faultOf(note: MoveNote, dataDir: string | null): string | null {
  const folder = `GATE_DATA_DIR: "${dataDir ?? ''}"`;
  switch (note.state) {
    case 'leaving':
      return `${folder} is being moved to ${note.to}. Run "gate move --to" again to complete the move, or with --back to undo it.`;
    case 'left':
      return `${folder} has moved to ${note.to} and is served there: set DATABASE_URL and GATE_MASTER_KEY instead. To undo the move, run "gate move --to" with --back.`;
    case 'arriving':
      return 'DATABASE_URL: a move into this database is not complete. Run "gate move --to" again on the machine with the data folder.';
    case 'given_up':
      return 'DATABASE_URL: the move into this database was undone, and its data folder is served instead. Use another database.';
    case 'arrived':
    case 'serving':
    case 'back':
      return null;
  }
}
