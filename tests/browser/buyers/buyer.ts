import { vi } from 'vitest';

/** An element to find by its role and accessible name. */
export interface Wanted {
  readonly role: 'button' | 'link' | 'radio' | 'heading' | 'field' | 'text';
  readonly name: string | RegExp;
}

/** The operations that each browser's protocol implements for a page or frame. Everything else is shared by all browsers. */
export interface Hands<Element> {
  /** Runs `findOnPage` in the page or frame. */
  find(wanted: WireWanted): Promise<Element | null>;
  click(element: Element): Promise<void>;
  type(element: Element, text: string): Promise<void>;
  textOf(element: Element): Promise<string>;
}

/** A buyer on a page or in a frame. Every method waits for its element. */
export interface Buyer {
  /** Waits for an element with exactly this text and returns the text. */
  sees(text: string | RegExp): Promise<string>;
  at(heading: string | RegExp): Promise<void>;
  press(button: string | RegExp): Promise<void>;
  follow(link: string | RegExp): Promise<void>;
  pick(radio: string | RegExp): Promise<void>;
  fill(label: string | RegExp, text: string): Promise<void>;
}

/** A browser tab with its own cookies and history. */
export interface BuyerTab {
  readonly page: Buyer;
  /** A buyer in the frame whose URL starts with `address`. */
  inFrame(address: string): Buyer;
  goto(url: string): Promise<void>;
  back(): Promise<void>;
  reload(): Promise<void>;
  url(): Promise<string>;
  /** Evaluates an expression in the page. */
  run(expression: string): Promise<unknown>;
  /** Pastes the clipboard into a field of the page and returns the text. */
  paste(): Promise<string>;
}

/** Generous, since the page may run on a busy machine. */
const WAIT = { timeout: 120_000, interval: 50 };

export function buyerWith<Element>(hands: Hands<Element>): Buyer {
  const find = ({ role, name }: Wanted): Promise<Element> =>
    vi.waitFor(async () => {
      const { source, flags } = typeof name === 'string' ? exactly(name) : name;
      const found = await hands.find({ role, source, flags });
      if (found === null) throw new Error(`There is no ${role} ${String(name)}.`);
      return found;
    }, WAIT);
  const click = async (wanted: Wanted): Promise<void> => hands.click(await find(wanted));
  return {
    sees: async (name) => hands.textOf(await find({ role: 'text', name })),
    at: async (name) => void (await find({ role: 'heading', name })),
    press: (name) => click({ role: 'button', name }),
    follow: (name) => click({ role: 'link', name }),
    pick: (name) => click({ role: 'radio', name }),
    fill: async (name, text) => hands.type(await find({ role: 'field', name }), text),
  };
}

const exactly = (name: string): RegExp => new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);

export interface WireWanted {
  readonly role: Wanted['role'];
  readonly source: string;
  readonly flags: string;
}

/** Serialized and run in the page, so it must not use anything else of this file. */
export function findOnPage({ role, source, flags }: WireWanted): Element | null {
  const selectors = {
    button: 'button',
    link: 'a[href]',
    radio: 'input[type=radio]',
    heading: 'h1',
    field: 'input:not([type=radio]):not([type=checkbox])',
    text: 'body *',
  };
  const pattern = new RegExp(source, flags);
  const nameOf = (element: Element): string => {
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [element];
    const label = element.getAttribute('aria-label') ?? labels.map(({ textContent }) => textContent).join(' ');
    return label.replace(/\s+/g, ' ').trim();
  };
  const isSeen = (element: Element): boolean => {
    // A radio button is visible through its label.
    const seen = element instanceof HTMLInputElement && role === 'radio' ? element.labels?.[0] : element;
    const box = seen?.getBoundingClientRect();
    return box !== undefined && box.width > 0 && box.height > 0 && getComputedStyle(element).visibility === 'visible';
  };
  const matches = [...document.querySelectorAll(selectors[role])].filter(
    (element) => pattern.test(nameOf(element)) && isSeen(element),
  );
  // For a text, the innermost element.
  const found = role === 'text' ? matches.at(-1) : matches[0];
  return (role === 'radio' && found instanceof HTMLInputElement ? found.labels?.[0] : found) ?? null;
}
