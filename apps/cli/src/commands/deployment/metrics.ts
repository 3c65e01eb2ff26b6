import {
  type ColdStartParts,
  METRICS_WINDOWS,
  type Metrics,
  type MetricsPoint,
  type MetricsWindow,
} from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { readMoment } from '../../flags/read-moment.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';
import { formatBytes } from '../../output/format-bytes.ts';
import { sparkline } from '../../output/sparkline.ts';

interface MetricsOptions {
  readonly window?: string;
  readonly from?: string;
  readonly to?: string;
}

const WINDOWS = Object.keys(METRICS_WINDOWS);
/** Fits a terminal of 100 columns beside the numbers. */
const CHART_WIDTH = 60;

/** `berth metrics`. */
export const metrics = defineCommand({
  name: 'metrics',
  summary: "Show a deployment's requests, errors, latency, CPU and memory over time",
  description:
    'Shows one line per metric: its last value, its sum or maximum over the window, and a chart, oldest first. Steps without requests or instances count as 0.',
  words: LINKED_WORD,
  options: {
    '--window <span>': `${WINDOWS.join(', ')}; 1h by default`,
    '--from <moment>': 'Start: a duration such as 2d, or an RFC 3339 time',
    '--to <moment>': 'End, with --from; now by default',
  },
  examples: [
    ['berth metrics my-app', 'the last hour, minute by minute'],
    ['berth metrics my-app --window 7d --json', 'one week as JSON'],
    ['berth metrics my-app --from 2026-01-31T12:00:00Z --to 2026-01-31T18:00:00Z', 'an afternoon'],
  ],
  async run({ words: [word], options }, context) {
    const { connect, output, clock } = context;
    const name = await requireName(word, context);
    const { span, fromMs, toMs, title } = readTime(options, clock.nowMs());
    const client = await connect();
    const answer = await client.get('/v1/deployment/metrics', { params: { query: { name, ...span } } });
    output.json(answer);
    if (answer.points.length === 0) {
      output.say(`${name} had no requests and no instances in the ${title}.`);
      return;
    }
    const steps = fillSteps(answer, toMs - fromMs, toMs);
    const { signs } = output.style;
    output.table(FIGURES, [
      { heading: 'figure', text: ({ title }) => title },
      { heading: 'last', text: ({ of, format }) => format(of(steps.at(-1), answer.step_seconds)) },
      {
        heading: title,
        text: ({ of, format, isSum }) => {
          const values = steps.map((step) => of(step, answer.step_seconds));
          return isSum
            ? `${format(values.reduce((sum, value) => sum + value, 0))} in all`
            : `${format(Math.max(...values))} at most`;
        },
      },
      {
        heading: `oldest first, ${answer.step_seconds / 60} min per step`,
        text: ({ of }) =>
          sparkline(
            steps.map((step) => of(step, answer.step_seconds)),
            signs,
            CHART_WIDTH,
          ),
      },
    ]);
    const parts = meanParts(answer);
    if (parts) output.say(describeParts(parts));
  },
});

interface Time {
  /** As query parameters. */
  readonly span: { readonly window: MetricsWindow } | { readonly from: string; readonly to?: string };
  readonly fromMs: number;
  readonly toMs: number;
  /** In words. */
  readonly title: string;
}

/** @throws UsageError */
function readTime({ window, from, to }: MetricsOptions, nowMs: number): Time {
  if (from === undefined) {
    if (to !== undefined) throw new UsageError('--to requires --from');
    const span = window ?? '1h';
    if (!isWindow(span)) throw new UsageError(`--window must be one of ${WINDOWS.join(', ')}, or use --from`);
    return { span: { window: span }, fromMs: nowMs - METRICS_WINDOWS[span], toMs: nowMs, title: `last ${span}` };
  }
  if (window !== undefined) throw new UsageError("--window can't be combined with --from");
  const read = (flag: string, text: string) => Date.parse(readMoment(flag, text, nowMs));
  const fromMs = read('--from', from);
  const toMs = to === undefined ? nowMs : read('--to', to);
  if (fromMs >= toMs) throw new UsageError('--from: must be before --to');
  const iso = (atMs: number) => new Date(atMs).toISOString();
  const span = { from: iso(fromMs), ...(to === undefined ? {} : { to: iso(toMs) }) };
  return { span, fromMs, toMs, title: 'time asked for' };
}

/** Returns the mean of all cold starts from the means of the points. */
function meanParts({ points }: Metrics): ColdStartParts | undefined {
  const sum: Record<keyof ColdStartParts, number> = {
    queued: 0,
    scheduled: 0,
    spawned: 0,
    port_open: 0,
    first_byte: 0,
  };
  let count = 0;
  for (const { cold_starts: starts, cold_start_ms: parts } of points) {
    if (!parts) continue;
    count += starts;
    for (const part of PARTS) sum[part] += parts[part] * starts;
  }
  for (const part of PARTS) sum[part] /= count;
  return count === 0 ? undefined : sum;
}

const PARTS = ['queued', 'scheduled', 'spawned', 'port_open', 'first_byte'] as const;

function describeParts(parts: ColdStartParts): string {
  const short = (ms: number) => ms.toLocaleString('en', { maximumFractionDigits: 1 });
  const total = PARTS.reduce((sum, part) => sum + parts[part], 0);
  const each = PARTS.map((part) => `${part.replace('_', ' ')} ${short(parts[part])}`);
  return `Requests with a cold start had their first byte after ${short(total)} ms on average: ${each.join(', ')}.`;
}

function isWindow(text: string): text is MetricsWindow {
  return Object.hasOwn(METRICS_WINDOWS, text);
}

type Step = MetricsPoint | undefined;

interface Figure {
  readonly title: string;
  /** True for a value that is summed over the window; of others the maximum is shown. */
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

/** Returns a slot for each step of the window, empty without a point. Steps are aligned to 1970. */
function fillSteps({ step_seconds, points }: Metrics, windowMs: number, nowMs: number): Step[] {
  const stepMs = step_seconds * 1_000;
  const byStart = new Map(points.map((point) => [Date.parse(point.time), point]));
  // The server's clock may be ahead of this one.
  const lastMs = Math.max(nowMs - (nowMs % stepMs), ...byStart.keys());
  const length = Math.ceil(windowMs / stepMs);
  return Array.from({ length }, (_, index) => byStart.get(lastMs - (length - 1 - index) * stepMs));
}
