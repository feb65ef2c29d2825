import { useEffect, useState } from 'preact/hooks';
import type { Messages } from '../i18n/en.js';

const COPIED_MS = 3000;

interface CopyableProps {
  readonly title: string;
  readonly shown: string;
  /** What goes to the clipboard: the bare value. */
  readonly copied: string;
  readonly t: Messages;
}

/** A value to be carried elsewhere, with a button that copies it and says so. Without a clipboard it can still be selected. */
export function Copyable({ title, shown, copied, t }: CopyableProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    copyText(copied).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div class="copyable">
      <dl>
        <dt>{title}</dt>
        <dd>
          <bdi dir="ltr">{shown}</bdi>
        </dd>
      </dl>
      <button type="button" class="copy" aria-label={t.copyOf(title)} onClick={copy}>
        {isCopied ? t.copied : t.copy}
      </button>
      <span class="unseen" role="status">
        {isCopied ? t.copied : ''}
      </span>
    </div>
  );
}

/** In a frame the clipboard is often shut (it wants a permission of the page around); the old way works on a click all the same. */
async function copyText(text: string): Promise<void> {
  const policy = 'permissionsPolicy' in document ? document.permissionsPolicy : null;
  const isOpen = hasPolicy(policy) ? policy.allowsFeature('clipboard-write') : true;
  if (isOpen && 'clipboard' in navigator) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  const before = document.activeElement;
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('The browser does not copy here.');
}

function hasPolicy(policy: unknown): policy is { allowsFeature(name: string): boolean } {
  return typeof policy === 'object' && policy !== null && 'allowsFeature' in policy;
}
