import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Messages } from '../i18n/en.js';

const COPIED_MS = 3000;

interface CopyableProps {
  readonly title: string;
  readonly shown: ComponentChildren;
  /** The plain value for the clipboard. */
  readonly copied: string;
  readonly t: Messages;
}

/** A value with a copy button. If the browser does not copy, the value is selected, to be copied manually. */
export function Copyable({ title, shown, copied, t }: CopyableProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);
  const value = useRef<HTMLElement>(null);
  useEffect(() => {
    if (outcome !== 'copied') return;
    const timer = setTimeout(() => setOutcome(null), COPIED_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(copied);
    if (!isCopied && value.current !== null) getSelection()?.selectAllChildren(value.current);
    setOutcome(isCopied ? 'copied' : 'refused');
  };
  return (
    <div class="copyable">
      <dl>
        <dt>{title}</dt>
        <dd>
          <bdi dir="ltr" ref={value}>
            {shown}
          </bdi>
        </dd>
      </dl>
      <button type="button" class="copy" aria-label={t.copyOf(title)} onClick={() => void copy()}>
        {outcome === 'copied' ? t.copied : t.copy}
      </button>
      <p class={outcome === 'refused' ? 'hint' : 'unseen'} role="status">
        {outcome === 'refused' ? t.notCopied : outcome === 'copied' ? t.copied : ''}
      </p>
    </div>
  );
}

/**
 * Whether the text was copied. `execCommand` comes first: on a click it works in every frame, while the Clipboard API may need a
 * permission from the embedding page, and a refusal logs an error to the console.
 */
async function copyText(text: string): Promise<boolean> {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  if (isCopied) return true;
  // The Clipboard API exists in secure contexts only.
  if (!('clipboard' in navigator)) return false;
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
