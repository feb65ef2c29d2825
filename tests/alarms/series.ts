/** A selector of PromQL: the name of a series and its label matchers. */
interface Selector {
  readonly name: string;
  readonly labels: readonly (readonly [label: string, operator: string, value: string])[];
}

const SELECTOR = /\b((?:gate|nodejs|process)_\w+)(?:\{([^}]*)\})?/g;
const LABEL = /(\w+)(=~|!~|!=|=)"([^"]*)"/g;

function selectorsOf(expression: string): readonly Selector[] {
  return [...expression.matchAll(SELECTOR)].map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(LABEL)].map(([, label = '', operator = '', value = '']) => [label, operator, value]),
  }));
}

const SERIES = /^(\w+)(?:\{(.*)\})? \S+$/gm;

/** The selectors of an expression that match no series of `metrics`, the text of /metrics. */
export function unknownSeries(expression: string, metrics: string): readonly string[] {
  const present = [...metrics.matchAll(SERIES)].map(([, name = '', labels = '']) => ({
    name,
    labels: new Map([...labels.matchAll(LABEL)].map(([, label = '', , value = '']) => [label, value])),
  }));
  // Any other operator than `=` may name values that have not occurred yet, such as the status of an error.
  const matches = ({ name, labels }: Selector): boolean =>
    present.some(
      (series) =>
        series.name === name &&
        labels.every(([label, operator, value]) =>
          operator === '=' ? series.labels.get(label) === value : series.labels.has(label),
        ),
    );
  return selectorsOf(expression)
    .filter((selector) => !matches(selector))
    .map(({ name, labels }) => `${name}{${labels.map((label) => label.join('')).join()}}`);
}
