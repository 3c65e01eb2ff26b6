import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { renderPlot, sampleService } from './plot-service.ts';

test('a service has no instance without requests, more with load, and none again in the end', () => {
  const samples = sampleService(1);
  const most = (from: number, until: number) => Math.max(...samples.slice(from, until).map((one) => one.instances));
  expect(most(0, 29)).toBe(0);
  expect(most(40, 119)).toBeGreaterThanOrEqual(1);
  expect(most(120, 180)).toBeGreaterThan(2 * most(40, 119));
  expect(most(470, 480)).toBe(0);
});

// Fails when the policy changes and the picture does not: `npm run simulate -- --plot docs/images/autoscaling.svg`.
test('the picture in the guide is what the policy does', () => {
  const file = path.resolve(import.meta.dirname, '../../docs/images/autoscaling.svg');
  expect(renderPlot(sampleService(1))).toBe(readFileSync(file, 'utf8'));
});
