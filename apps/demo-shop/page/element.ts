type Child = Node | string;

/** Creates an element with attributes and children. Strings become text nodes, so no received text can become markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

export function button(label: string, onPress: () => void, className = ''): HTMLButtonElement {
  const made = element('button', { type: 'button', ...(className === '' ? {} : { class: className }) }, label);
  made.addEventListener('click', onPress);
  return made;
}

/** An element of the page's HTML. Throws if it is missing. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}.`);
  return found;
}
