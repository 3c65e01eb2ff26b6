import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawPlot, plotFile } from './draw-plot.ts';
import { TOPICS } from './topics.ts';

describe('the plots of docs/performance.md', () => {
  it.each(TOPICS.map((topic) => [topic.name, topic] as const))(
    '%s shows the results in the repository',
    (_name, topic) => {
      expect(readFileSync(plotFile(topic), 'utf8') === drawPlot(topic), `out of date; npm run plots draws it`).toBe(
        true,
      );
    },
  );

  it('shows the value of each figure, and fails without the figure', () => {
    const bars = [['Berth', 'soak', 'redeploys']] as const;
    expect(drawPlot({ name: 'x', axis: 'Redeploys', groups: [{ label: '', bars }] })).toContain('>30</text>');
    const missing = [['Berth', 'soak', 'none']] as const;
    expect(() => drawPlot({ name: 'x', axis: '', groups: [{ label: '', bars: missing }] })).toThrow('no figure "none"');
  });
});
