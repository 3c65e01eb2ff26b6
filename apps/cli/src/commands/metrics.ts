import { METRICS_WINDOWS, type Metrics, type MetricsPoint, type MetricsWindow } from '@berth/contract';
import { defineCommand } from '../command.ts';
import { formatBytes } from '../output/format-bytes.ts';
import { formatTable } from '../output/format-table.ts';
import { sparkline } from '../output/sparkline.ts';
import { UsageError } from '../usage-error.ts';

interface MetricsOptions {
  readonly window?: string;
}

const WINDOWS = Object.keys(METRICS_WINDOWS);
/** A terminal of 100 columns has room for it beside the numbers. */
const CHART_WIDTH = 60;

export const metrics = defineCommand<MetricsOptions>({
  name: 'metrics',
  summary: 'Show requests, errors, latencies, CPU and memory of a deployment over time',
  description:
    'Shows a line for each figure: its last value, the sum or the highest of the window, and a chart of it, oldest first. A step in which nothing was served or ran counts as 0.',
  words: [{ name: 'name', description: 'The deployment' }],
  options: [{ flags: '--window <span>', description: `${WINDOWS.join(', ')}; 1h by default` }],
  examples: [
    ['berth metrics my-app', 'the last hour, minute by minute'],
    ['berth metrics my-app --window 7d --json', 'a week for programs'],
  ],
  async run({ words: [name = ''], options: { window = '1h' } }, { connect, output, clock }) {
    if (!isWindow(window)) throw new UsageError(`--window: write one of ${WINDOWS.join(', ')}`);
    const answer = await (await connect()).metrics(name, window);
    output.json(answer);
    if (answer.points.length === 0) {
      output.say(`${name} served nothing, and nothing of it ran, in the last ${window}.`);
      return;
    }
    const steps = fillSteps(answer, METRICS_WINDOWS[window], clock.nowMs());
    const { signs } = output.style;
    output.print(
      formatTable(
        FIGURES,
        [
          { heading: 'figure', text: ({ title }) => title },
          { heading: 'last', text: ({ of, format }) => format(of(steps.at(-1), answer.step_seconds)) },
          {
            heading: window,
            text: ({ of, format, isSum }) => {
              const values = steps.map((step) => of(step, answer.step_seconds));
              return isSum
                ? `${format(values.reduce((sum, value) => sum + value, 0))} in all`
                : `${format(Math.max(...values))} at most`;
            },
          },
          {
            heading: `oldest first, ${answer.step_seconds / 60} min a step`,
            text: ({ of }) =>
              sparkline(
                steps.map((step) => of(step, answer.step_seconds)),
                signs,
                CHART_WIDTH,
              ),
          },
        ],
        output.style,
      ),
    );
  },
});

function isWindow(text: string): text is MetricsWindow {
  return Object.hasOwn(METRICS_WINDOWS, text);
}

type Step = MetricsPoint | undefined;

interface Figure {
  readonly title: string;
  /** It is added up over the window; of others the highest is of interest. */
  readonly isSum?: boolean;
  of(step: Step, stepSeconds: number): number;
  format(value: number): string;
}

const count = (value: number) => value.toLocaleString('en');
const milliseconds = (value: number) => `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ms`;

const FIGURES: readonly Figure[] = [
  { title: 'requests', isSum: true, of: (step) => step?.requests ?? 0, format: count },
  { title: 'errors', isSum: true, of: (step) => step?.errors ?? 0, format: count },
  { title: 'p50', of: (step) => step?.p50_ms ?? 0, format: milliseconds },
  { title: 'p95', of: (step) => step?.p95_ms ?? 0, format: milliseconds },
  { title: 'p99', of: (step) => step?.p99_ms ?? 0, format: milliseconds },
  { title: 'instances', of: (step) => step?.instances ?? 0, format: count },
  { title: 'cold starts', isSum: true, of: (step) => step?.cold_starts ?? 0, format: count },
  {
    title: 'CPU',
    of: (step, stepSeconds) => (step?.cpu_seconds ?? 0) / stepSeconds,
    format: (value) => `${value.toFixed(3)} vCPU`,
  },
  { title: 'memory', of: (step) => step?.memory_bytes ?? 0, format: formatBytes },
  { title: 'memory, peak', of: (step) => step?.memory_max_bytes ?? 0, format: formatBytes },
];

/** A place for each step of the window, those without a point empty. Steps are counted from 1970. */
function fillSteps({ step_seconds, points }: Metrics, windowMs: number, nowMs: number): Step[] {
  const stepMs = step_seconds * 1_000;
  const byStart = new Map(points.map((point) => [Date.parse(point.time), point]));
  // The server's clock counts, where it is ahead of this one.
  const lastMs = Math.max(nowMs - (nowMs % stepMs), ...byStart.keys());
  const length = Math.ceil(windowMs / stepMs);
  return Array.from({ length }, (_, index) => byStart.get(lastMs - (length - 1 - index) * stepMs));
}
