// Renders the chart for each example: `node tools/chart/main.ts` writes deploy/helm/rendered, which the tests compare.
import { writeFileSync } from 'node:fs';
import { EXAMPLES, findHelm, NO_HELM, renderChart, renderedFile } from './helm.ts';

const helm = findHelm();
if (helm === undefined) throw new Error(`This ${NO_HELM}.`);
for (const example of EXAMPLES) writeFileSync(renderedFile(example), renderChart({ helm, example }));
