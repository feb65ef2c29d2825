import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** A line of a plot, in a colour of the style sheet. */
export interface Line {
  readonly color: string;
  /** Drawn in dashes, so that colour is not the only difference. */
  readonly isDashed: boolean;
  readonly values: readonly number[];
}

interface PlotParts {
  /** When each hour begins, in seconds. */
  readonly hours: readonly number[];
  readonly lines: readonly Line[];
  readonly isRightToLeft: boolean;
  readonly hourText: (seconds: number) => string;
  readonly countText: (value: number) => string;
  /** The hour under the pointer; null outside. */
  readonly onPoint: (hour: number | null) => void;
}

export interface Plot {
  /** Marks an hour. */
  point(hour: number): void;
  remove(): void;
}

const HOUR = 3_600;
const HEIGHT = 160;
const HALF_LABEL_WIDTH = 30;
/** So that few sessions do not look like many. */
const TOP_MIN = 4;
const COUNTS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].flatMap((power) => [power, 2 * power, 5 * power]);
/** The widths of a digit and of the space around a count. */
const DIGIT_WIDTH = 7;
const AROUND_WIDTH = 20;

/** Draws hourly counts as steps. Colours are read at each drawing, so a change of the theme needs no new plot. */
export function draw(place: HTMLElement, parts: PlotParts): Plot {
  const { hours, lines, isRightToLeft, hourText, countText, onPoint } = parts;
  const color = (name: string) => () => getComputedStyle(place).getPropertyValue(name).trim();
  const font = `12px ${getComputedStyle(place).fontFamily}`;
  // The last hour has a width too.
  const times = [...hours, (hours.at(-1) ?? 0) + HOUR];
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      // Space for half of the last label, which is centered on its tick. The other side has the axis of counts.
      padding: isRightToLeft ? [null, null, null, HALF_LABEL_WIDTH] : [null, HALF_LABEL_WIDTH, null, null],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        x: { dir: isRightToLeft ? -1 : 1 },
        y: { range: (_, __, max) => [0, Math.max(TOP_MIN, max * 1.1)] },
      },
      axes: [
        {
          font,
          stroke: color('--quiet'),
          grid: { show: false },
          ticks: { stroke: color('--line') },
          incrs: [3 * HOUR, 6 * HOUR, 12 * HOUR],
          space: 56,
          values: (_, splits) => splits.map(hourText),
        },
        {
          font,
          side: isRightToLeft ? 1 : 3,
          stroke: color('--quiet'),
          grid: { stroke: color('--line'), width: 1 },
          ticks: { show: false },
          incrs: COUNTS,
          size: (_, texts) => AROUND_WIDTH + DIGIT_WIDTH * Math.max(4, ...(texts ?? []).map(({ length }) => length)),
          space: 32,
          values: (_, splits) => splits.map(countText),
        },
      ],
      series: [
        {},
        ...lines.map((line) => ({
          stroke: color(line.color),
          width: 2,
          points: { show: false },
          ...(line.isDashed && { dash: [6, 4] }),
          ...(stepped !== undefined && { paths: stepped }),
        })),
      ],
      hooks: {
        setCursor: [
          ({ cursor: { idx } }) => onPoint(idx === null || idx === undefined ? null : Math.min(idx, hours.length - 1)),
        ],
      },
    },
    [times, ...lines.map(({ values }) => [...values, values.at(-1) ?? 0])],
    place,
  );
  const size = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
  size.observe(place);
  const device = matchMedia('(prefers-color-scheme: dark)');
  const redraw = (): void => plot.redraw(false);
  device.addEventListener('change', redraw);
  return {
    point: (hour) => plot.setCursor({ left: plot.valToPos(times[hour] ?? 0, 'x'), top: 0 }),
    remove: () => {
      size.disconnect();
      device.removeEventListener('change', redraw);
      plot.destroy();
    },
  };
}
