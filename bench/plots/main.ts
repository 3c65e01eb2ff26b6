// Draws the plots of docs/performance.md from bench/results: `npm run plots`.
import { writeFileSync } from 'node:fs';
import { drawPlot, plotFile } from './draw-plot.ts';
import { TOPICS } from './topics.ts';

for (const topic of TOPICS) {
  writeFileSync(plotFile(topic), drawPlot(topic));
  console.log(plotFile(topic));
}
