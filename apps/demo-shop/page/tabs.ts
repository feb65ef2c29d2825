import { byId, element } from './element.js';
import type { Way } from './ways/ways.js';

/** The tab strip, with the keyboard controls of the ARIA tabs pattern. */
export function tabs(ways: readonly Way[], onChosen: (way: Way) => void): { choose(way: Way): void } {
  const strip = byId('tabs');
  const panel = byId('panel');
  const made = ways.map((way) => {
    const tab = element(
      'button',
      { type: 'button', role: 'tab', id: `tab-${way.id}`, 'aria-controls': 'panel' },
      way.title,
    );
    tab.addEventListener('click', () => choose(way));
    return { way, tab };
  });
  strip.replaceChildren(...made.map(({ tab }) => tab));
  strip.addEventListener('keydown', (event) => {
    const to = targetOf(event.key);
    if (to === null) return;
    event.preventDefault();
    choose(to.way);
    to.tab.focus();
  });

  function targetOf(key: string): (typeof made)[number] | null {
    const now = made.findIndex(({ tab }) => tab.ariaSelected === 'true');
    switch (key) {
      case 'ArrowRight':
        return made[(now + 1) % made.length] ?? null;
      case 'ArrowLeft':
        return made.at(now - 1) ?? null;
      case 'Home':
        return made[0] ?? null;
      case 'End':
        return made.at(-1) ?? null;
      default:
        return null;
    }
  }

  function choose(chosen: Way): void {
    for (const { way, tab } of made) {
      tab.ariaSelected = String(way === chosen);
      tab.tabIndex = way === chosen ? 0 : -1;
    }
    panel.setAttribute('aria-labelledby', `tab-${chosen.id}`);
    onChosen(chosen);
  }

  return { choose };
}
