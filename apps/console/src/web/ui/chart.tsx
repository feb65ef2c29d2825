import { useEffect, useRef, useState } from 'preact/hooks';
import { count, hourOfDay } from '../format/format.js';
import { directionOf, languageOf } from '../i18n/messages.js';
import type { Counted } from '../wire/home.js';
import { useUi } from './context.js';
import { Panel, Tally } from './parts.js';
import type { Plot } from './plot.js';

/** One count of each hour, with a colour of the style sheet. */
export interface Series {
  readonly name: string;
  readonly color: '--accent' | '--good' | '--bad';
  readonly counts: readonly Counted[];
}

/**
 * Hourly counts as a chart and as a table. The chart is a slider over the hours, for keyboards and screen readers; its counts are shown
 * below it. The library that draws it is loaded after the page.
 */
export function Chart({
  title,
  hours,
  series,
}: {
  readonly title: string;
  /** When each hour begins. */
  readonly hours: readonly string[];
  readonly series: readonly Series[];
}) {
  const { app, t, locale } = useUi();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const last = hours.length - 1;
  const shown = pointed ?? last;
  const isRightToLeft = directionOf(languageOf([locale])) === 'rtl';
  const { theme } = app.settings;
  const key = JSON.stringify([hours, series.map(({ counts }) => counts.map((one) => one.count)), locale, theme]);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    let isGone = false;
    const parts = {
      hours: hours.map((at) => Date.parse(at) / 1_000),
      lines: series.map(({ color, counts }, index) => ({
        color,
        isDashed: index > 0,
        values: counts.map((one) => one.count),
      })),
      isRightToLeft,
      hourText: (seconds: number) => hourOfDay(locale, seconds * 1_000),
      countText: (value: number) => count(locale, value),
      onPoint: setPointed,
    };
    // Without the library, the counts and the table are still there.
    import('./plot.js').then(
      ({ draw }) => {
        if (!isGone) plot.current = draw(current, parts);
      },
      () => undefined,
    );
    return () => {
      isGone = true;
      plot.current?.remove();
      plot.current = null;
    };
  }, [key]);

  const move = (event: KeyboardEvent): void => {
    const forward = isRightToLeft ? -1 : 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: shown + forward,
      ArrowLeft: shown - forward,
      ArrowUp: shown + 1,
      ArrowDown: shown - 1,
      Home: 0,
      End: last,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const hour = Math.max(0, Math.min(last, to));
    setPointed(hour);
    plot.current?.point(hour);
  };

  const textOf = (hour: number): string =>
    [
      hourOfDay(locale, hours[hour] ?? 0),
      ...series.map(({ name, counts }) => `${name} ${count(locale, counts[hour]?.count ?? 0)}`),
    ].join(', ');

  return (
    <Panel title={title}>
      <div
        ref={place}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={textOf(shown)}
        onKeyDown={move}
      />
      <p class="legend" aria-hidden="true">
        <strong>{hourOfDay(locale, hours[shown] ?? 0)}</strong>
        {series.map(({ name, color, counts }, index) => (
          <span key={name}>
            <i class={`swatch swatch${color} ${index > 0 ? 'is-dashed' : ''}`} />
            {name} <Tally of={counts[shown] ?? { count: 0, more: false }} />
          </span>
        ))}
      </p>
      <details class="others">
        <summary>{t.home.activity.asTable}</summary>
        <table class="hours">
          <caption class="unseen">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{t.home.activity.hour}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {hours.map((at, hour) => (
              <tr key={at}>
                <th scope="row">{hourOfDay(locale, at)}</th>
                {series.map(({ name, counts }) => (
                  <td key={name}>
                    <Tally of={counts[hour] ?? { count: 0, more: false }} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Panel>
  );
}
