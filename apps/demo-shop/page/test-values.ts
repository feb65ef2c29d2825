import { button, element } from './element.js';
import type { TestValue } from './situations.js';

/** Value and button that copies it, for a `dl` or a line of text. */
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
      // A browser may refuse, as it does without a user to ask: then the value is selected to be copied by hand.
      getSelection()?.selectAllChildren(text);
    }
  }
}
