import { expect, it } from 'vitest';
import { quietReports } from '../src/quiet-reports.js';

it('tells the same trouble of one place once, and another at once', () => {
  const told: string[] = [];
  const report = quietReports((error, place) => void told.push(`${place}: ${String(error)}`));
  for (let times = 0; times < 3; times += 1) report(new Error('away'), 'scheduler');
  report(new Error('away'), 'database');
  report(new Error('slow'), 'scheduler');
  expect(told).toEqual(['scheduler: Error: away', 'database: Error: away', 'scheduler: Error: slow']);
});
