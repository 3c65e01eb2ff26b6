import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchResult, Figure } from './figure.ts';
import { describeMachine } from './machine.ts';

/** The figures as a table for people. */
export function formatFigures(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.id ?? '',
    figure.title,
    figure.unit === 'ratio' ? `× ${figure.value}` : `${figure.value} ${figure.unit}`,
    describeTarget(figure),
  ]);
  const width = (column: number) => Math.max(...rows.map((row) => (row[column] as string).length));
  const widths = [width(0), width(1), width(2)];
  return rows
    .map(([id = '', title = '', value = '', target = '']) =>
      `${id.padEnd(widths[0] ?? 0)}  ${title.padEnd(widths[1] ?? 0)}  ${value.padStart(widths[2] ?? 0)}  ${target}`.trimEnd(),
    )
    .join('\n');
}

function describeTarget({ value, target, atLeast }: Figure): string {
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');
  if (target !== undefined) return `target ≤ ${target}: ${verdict(value <= target)}`;
  return atLeast === undefined ? '' : `target ≥ ${atLeast}: ${verdict(value >= atLeast)}`;
}

/** Writes `results/<name>.json`, with the machine it was measured on; answers where. */
export function writeResult(
  name: string,
  { table: _, ...result }: BenchResult & { readonly rows?: readonly object[] },
): string {
  const folder = path.join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.json`);
  writeFileSync(file, `${JSON.stringify({ name, machine: describeMachine(), ...result }, null, 2)}\n`);
  return file;
}
