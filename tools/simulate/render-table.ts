import type { Comparison } from './simulate.ts';
import type { Figures } from './tally.ts';

const NAMES = { berth: 'Berth', fixed: 'fixed', naive: 'naive' } as const;

/** Heading of a column, and what is in it. */
const COLUMNS: readonly (readonly [string, (figures: Figures) => string])[] = [
  ['instance-seconds', ({ instanceSeconds }) => grouped(Math.round(instanceSeconds))],
  ['wait p50', ({ waitP50Ms }) => duration(waitP50Ms)],
  ['p95', ({ waitP95Ms }) => duration(waitP95Ms)],
  ['p99', ({ waitP99Ms }) => duration(waitP99Ms)],
  ['max', ({ waitMaxMs }) => duration(waitMaxMs)],
  ['cold starts', ({ coldStarts }) => grouped(coldStarts)],
  ['429', ({ rejected }) => grouped(rejected[429])],
  ['503', ({ rejected }) => grouped(rejected[503])],
  ['504', ({ rejected }) => grouped(rejected[504])],
  ['max instances', ({ maxInstances }) => grouped(maxInstances)],
];

/** Renders the figures side by side as an aligned Markdown table. */
export function renderTable(comparison: Comparison): string {
  const rows = [
    ['policy', ...COLUMNS.map(([heading]) => heading)],
    ...(['berth', 'fixed', 'naive'] as const).map((name) => [
      NAMES[name],
      ...COLUMNS.map(([, cell]) => cell(comparison[name])),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
    );
    return `| ${cells.join(' | ')} |`;
  });
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  lines.splice(1, 0, `| ${rule.join(' | ')} |`);
  return lines.join('\n');
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
