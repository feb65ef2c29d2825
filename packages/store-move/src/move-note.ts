import { type ExportCursor, type ExportKind, MOVE_SETTING } from './export.js';
import type { Settings } from '@gateramp/core/ports';

/** The move state of an installation, which prevents it from being served in two places. */
export type MoveNote =
  /** `leaving`: everything is being copied to `to`; `left`: it has been, and is served there. */
  | { readonly state: 'leaving' | 'left'; readonly id: string; readonly to: string }
  /** A move was undone. */
  | { readonly state: 'back'; readonly id: string }
  /** The installation is being filled: `after` is the last copied row of `kind`, the `copied`th of them. */
  | {
      readonly state: 'arriving';
      readonly id: string;
      readonly kind: ExportKind;
      readonly after: ExportCursor | null;
      readonly copied: number;
    }
  /** `arrived`: everything has been copied; `serving`: it has been served since. */
  | { readonly state: 'arrived' | 'serving'; readonly id: string }
  /** The move into this installation was undone: the source is served. */
  | { readonly state: 'given_up'; readonly id: string };

/** The parsed note with its text, which a swap needs. */
export interface ReadNote {
  readonly text: string | null;
  readonly note: MoveNote | null;
}

/** Reads the setting `MOVE_SETTING`; null if there was no move. */
export async function readMoveNote(settings: Pick<Settings, 'readSetting'>): Promise<ReadNote> {
  const text = await settings.readSetting(MOVE_SETTING);
  return { text, note: text === null ? null : parseMoveNote(text) };
}

/** Only `moveNoteText` writes this setting. */
export function parseMoveNote(text: string): MoveNote {
  return JSON.parse(text) as MoveNote;
}

/** The value of the setting. */
export function moveNoteText(note: MoveNote): string {
  return JSON.stringify(note);
}
