import { button, element } from './element.js';
import type { TestValue } from './situations.js';

/** A value with a button to copy it, for a `dl` or a line of text. */
export function copyable({ name, value }: Pick<TestValue, 'name' | 'value'>): HTMLElement {
  const copy = button('Copy', () => void copyText(), 'small');
  copy.setAttribute('aria-label', `Copy: ${name} ${value}`);
  const text = element('code', {}, value);
  return element('span', { class: 'copyable' }, text, copy);

  async function copyText(): Promise<void> {
    try {
      await navigator.clipboard.writeText(value);
      copy.textContent = 'Copied';
    } catch {
      // The browser may deny clipboard access. The value is then selected, to be copied by hand.
      getSelection()?.selectAllChildren(text);
    }
  }
}
