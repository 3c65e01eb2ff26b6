import { expect, test } from 'vitest';
import { compareRounds, formatComparison, type Measured } from './compare-rounds.ts';

const MEASURED: Measured = [
  {
    row: { id: 'P1', title: 'requests', unit: 'req/s', atLeast: { caddy: 1.8 } },
    rounds: new Map([
      ['berth', [10_000, 20_000, 12_000]],
      ['caddy', [5_000, 20_000, 10_000]],
    ]),
  },
  {
    row: { title: 'memory', unit: 'MB', isValue: true, target: 150 },
    rounds: new Map([
      ['berth', [120, 130, 140]],
      ['caddy', [40, 41, 42]],
    ]),
  },
];

test('a ratio is the median of the ratios of each round, with the lowest and the highest', () => {
  const figures = compareRounds(MEASURED, 'berth');
  expect(figures.find(({ title }) => title === 'berth / caddy: requests')).toEqual({
    ...{ id: 'P1', title: 'berth / caddy: requests', unit: 'ratio', atLeast: 1.8 },
    ...{ value: 1.2, spread: [1, 2] },
  });
  expect(figures.find(({ title }) => title === 'berth: memory')).toMatchObject({ value: 130, target: 150 });
});

test('the table has a column for each peer, and says what is missed', () => {
  expect(formatComparison(MEASURED, 'berth', ['caddy', 'nginx'])).toBe(
    [
      'per CPU second                        berth                    / caddy  / nginx',
      'requests                             12,000  × 1.2 (1–2) ≥ 1.8: MISSED        –',
      'memory          130 MB (120–140) ≤ 150: met                      41 MB        –',
    ].join('\n'),
  );
});
