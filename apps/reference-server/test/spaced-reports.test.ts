import { expect, it } from 'vitest';
import { spacedReports } from '../src/spaced-reports.js';

it('reports the same trouble of one place once, and another at once', () => {
  const reported: string[] = [];
  const report = spacedReports((error, place) => void reported.push(`${place}: ${String(error)}`));
  for (let times = 0; times < 3; times += 1) report(new Error('away'), 'scheduler');
  report(new Error('away'), 'database');
  report(new Error('slow'), 'scheduler');
  expect(reported).toEqual(['scheduler: Error: away', 'database: Error: away', 'scheduler: Error: slow']);
});
