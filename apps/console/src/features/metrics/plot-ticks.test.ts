import { describe, expect, test } from 'vitest';
import { setupView } from '../../render-view.test-support.ts';
import { axisWidth, tickSteps } from './plot-ticks.ts';
import { useTickFormats } from './use-plot-formats.ts';

describe('the ticks of an axis', () => {
  // Fails when memory has ticks such as "9.5 MiB", or instances such as "0.5".
  test.each([
    ['memory', 2 ** 23, true],
    ['memory', 1e7, false],
    ['instances', 0.5, false],
    ['instances', 1, true],
    ['requests', 50, true],
    ['latency', 0.5, true],
    ['cpu', 0.25, false],
  ] as const)('of %s may be %d apart: %s', (plot, step, may) => {
    expect(tickSteps(plot).includes(step)).toBe(may);
    expect(tickSteps(plot)).toEqual(tickSteps(plot).toSorted((one, other) => one - other));
  });

  // Fails when one axis has two units, such as "19.1 / 9.5 MiB" or "512 KiB / 1 MiB".
  test.each([
    ['memory', [0, 2 ** 19, 2 ** 20], ['0 MiB', '0.5 MiB', '1 MiB']],
    ['memory', [0, 2 ** 29, 2 ** 30], ['0 GiB', '0.5 GiB', '1 GiB']],
    ['latency', [0, 5, 10], ['0 ms', '5 ms', '10 ms']],
    ['requests', [0, 1000, 2000], ['0', '1,000', '2,000']],
  ] as const)('of %s have one unit', (plot, values, labels) => {
    expect(setupView().call(useTickFormats)(plot, values)).toEqual(labels);
  });

  // Fails when the unit of the latency is cut off in Arabic.
  test('have room for their longest label', () => {
    const labels = setupView({ language: 'ar' }).call(useTickFormats)('latency', [0, 1000, 2000]);
    expect(axisWidth(labels)).toBeGreaterThan(Math.max(...labels.map(({ length }) => length)) * 6);
    expect(axisWidth(null)).toBe(44);
  });
});
