import type { Send } from '../app/run.js';
import type { Messages } from '../i18n/en.js';

interface PasteButtonProps {
  readonly field: string;
  readonly t: Messages;
  readonly send: Send;
}

/** Puts the clipboard into a field. A browser that does not allow it leaves the buyer in the field, to paste by hand. */
export function PasteButton({ field, t, send }: PasteButtonProps) {
  const paste = async (): Promise<void> => {
    const text = await navigator.clipboard.readText().catch(() => '');
    document.getElementById(field)?.focus();
    if (text.trim() === '') return;
    send({ type: 'typed', field, value: text.trim() });
    send({ type: 'left_field', field });
  };
  return (
    <button type="button" class="in-field" onClick={() => void paste()}>
      {t.paste}
    </button>
  );
}

/** A frame has no clipboard to read, and some browsers offer none to pages. */
export function mayPaste(kind: 'frame' | 'page'): boolean {
  return kind === 'page' && 'clipboard' in navigator && 'readText' in navigator.clipboard;
}
