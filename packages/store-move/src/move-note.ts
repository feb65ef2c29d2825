import { type ExportCursor, type ExportKind, MOVE_SETTING } from './export.js';
import type { Settings } from '@gateramp/core/ports';

/** What an installation notes of a move of its own, so that it is never served in two places. */
export type MoveNote =
  /** Everything of it is being copied to `to`; `left`: it has been, and is served there. */
  | { readonly state: 'leaving' | 'left'; readonly id: string; readonly to: string }
  /** A move was undone. */
  | { readonly state: 'back'; readonly id: string }
  /** It is being filled: `after` is the last row of `kind` that is there, the `copied`th of them. */
  | {
      readonly state: 'arriving';
      readonly id: string;
      readonly kind: ExportKind;
      readonly after: ExportCursor | null;
      readonly copied: number;
    }
  /** Everything is there; `serving`: and has been served since. */
  | { readonly state: 'arrived' | 'serving'; readonly id: string }
  /** The move into it was undone: it is served where it came from. */
  | { readonly state: 'given_up'; readonly id: string };

/** The note as it was read: a swap needs its text. */
export interface ReadNote {
  readonly text: string | null;
  readonly note: MoveNote | null;
}

/** What the setting `MOVE_SETTING` says; null: there was no move. */
export async function readMoveNote(settings: Pick<Settings, 'readSetting'>): Promise<ReadNote> {
  const text = await settings.readSetting(MOVE_SETTING);
  return { text, note: text === null ? null : parseMoveNote(text) };
}

/** Only `moveNoteText` writes this setting. */
export function parseMoveNote(text: string): MoveNote {
  return JSON.parse(text) as MoveNote;
}

/** As the setting has it. */
export function moveNoteText(note: MoveNote): string {
  return JSON.stringify(note);
}
