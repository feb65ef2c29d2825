import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Messages } from '../i18n/en.js';
import { CrossIcon } from './icons.js';

interface SheetProps {
  readonly title: string;
  readonly t: Messages;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A dialog over the page; on a phone it opens from the bottom edge. Escape, the close button and a tap outside close it; then focus returns
 * to the opener.
 */
export function Sheet({ title, t, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const sheet = dialog.current;
    sheet?.showModal();
    // Focuses the title: focus on a search field would open the keyboard of a phone.
    sheet?.querySelector('h2')?.focus();
    if (sheet !== null && before !== null && window.parent !== window) placeInFrame(sheet, before);
    // Deferred, since the rest of the document is inert until the dialog is removed.
    return () => queueMicrotask(() => focusAfter(before));
  }, []);
  return (
    <dialog
      ref={dialog}
      class="over"
      aria-labelledby="over-title"
      onClose={onClose}
      onClick={({ target }) => {
        if (target === dialog.current) onClose();
      }}
    >
      <div class="over-body">
        <div class="over-top">
          <h2 id="over-title" tabIndex={-1}>
            {title}
          </h2>
          <button type="button" class="close" aria-label={t.close} onClick={onClose}>
            <CrossIcon size={18} />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** Focuses the opener, or the heading of the current step if the opener is gone. */
function focusAfter(opener: Element | null): void {
  const next = opener?.isConnected === true ? opener : document.querySelector('h1');
  if (next instanceof HTMLElement) next.focus();
}

/** Places the sheet at its opener, which is in view. A frame may be higher than the window, so its bottom edge may not be. */
function placeInFrame(sheet: HTMLDialogElement, opener: Element): void {
  const room = document.documentElement.scrollHeight - sheet.getBoundingClientRect().height;
  const top = opener.getBoundingClientRect().top + scrollY;
  sheet.style.position = 'absolute';
  sheet.style.insetBlockStart = `${Math.max(0, Math.min(top, room))}px`;
  sheet.style.marginBlock = '0';
  sheet.classList.add('over-framed');
}
