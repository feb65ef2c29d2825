import { type Settings } from '@gateramp/core/ports';
import { moveNoteText, MOVE_SETTING, readMoveNote, type MoveNote } from '@gateramp/store-move';
import { StartError } from '../start-error.js';

/** The use of an installation: `serves` records that it has been served since the move, so that a later move back requires confirmation. */
interface User {
  readonly dataDir: string | null;
  readonly serves: boolean;
}

/**
 * Ensures that an installation is served in one place: not where it has moved away, and not before it has
 * arrived, or the same money could be paid twice.
 */
export async function refuseElsewhere(settings: Settings, { dataDir, serves }: User): Promise<void> {
  const { text, note } = await readMoveNote(settings);
  if (note === null) return;
  const fault = faultOf(note, dataDir);
  if (fault !== null) throw new StartError([fault]);
  if (!serves || note.state !== 'arrived') return;
  const serving = moveNoteText({ state: 'serving', id: note.id });
  // Another process was faster: it has undone the move, or serves as well.
  if ((await settings.swapSetting(MOVE_SETTING, text, serving)) !== serving)
    await refuseElsewhere(settings, { dataDir, serves });
}

/** The reason why an installation with this note must not be used; null if it may be. */
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
