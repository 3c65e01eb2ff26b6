import { type Figure, figure } from '../figure.ts';
import { quantile, roundTo } from '../statistics.ts';
import type { Row } from './scenario.ts';

/** The values of a row: for each target, one a round. */
export type Rounds = ReadonlyMap<string, readonly number[]>;

/** Values of all rounds, by row. */
export type Measured = readonly { readonly row: Row; readonly rounds: Rounds }[];

/**
 * Returns the figures of `measured`: each target's median, and the ratios of `own` to the others. A ratio is that of two values of the same round; its
 * median and its spread are taken over the rounds.
 */
export function compareRounds(measured: Measured, own: string): Figure[] {
  return measured.flatMap(({ row, rounds }) => {
    const { title, unit, id, target, atLeast, isValue } = row;
    const medians = [...rounds].map(([name, values]) => {
      const goal = name === own && target !== undefined ? { ...(id && { id }), target } : {};
      const unitTitle = isValue ? title : `${title}, per CPU second`;
      return { ...figure(`${name}: ${unitTitle}`, quantile(values, 0.5), unit, goal), spread: spreadOf(values) };
    });
    if (isValue) return medians;
    const ownValues = rounds.get(own) ?? [];
    const ratios = [...rounds].flatMap(([name, values]) => {
      if (name === own) return [];
      const all = ownValues.map((value, index) => value / (values[index] ?? Number.NaN));
      const least = atLeast?.[name];
      const goal = least === undefined ? {} : { ...(id && { id }), atLeast: least };
      const value = roundTo(quantile(all, 0.5), 2);
      return [{ title: `${own} / ${name}: ${title}`, value, unit: 'ratio' as const, spread: spreadOf(all), ...goal }];
    });
    return [...medians, ...ratios];
  });
}

/** Returns `measured` as a table: a row each, the value of `own`, and a column for each peer. */
export function formatComparison(measured: Measured, own: string, peers: readonly string[]): string {
  const lines = measured.map(({ row, rounds }) => {
    const ofRow = compareRounds([{ row, rounds }], own);
    const find = (start: string) => ofRow.find(({ title }) => title.startsWith(start));
    const cells = peers.map((peer) => {
      const found = find(row.isValue ? `${peer}: ` : `${own} / ${peer}: `);
      return found === undefined ? '–' : row.isValue ? plain(found) : withSpread(found);
    });
    const mine = find(`${own}: `);
    const ownCell = mine === undefined ? '–' : row.isValue ? withSpread(mine) : plain(mine);
    return [row.title, ownCell, ...cells];
  });
  const all = [['per CPU second', own, ...peers.map((peer) => `/ ${peer}`)], ...lines];
  const widths = all[0]?.map((_cell, column) => Math.max(...all.map((line) => (line[column] as string).length))) ?? [];
  return all
    .map((line) =>
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))),
    )
    .map((line) => line.join('  '))
    .join('\n');
}

function spreadOf(values: readonly number[]): [number, number] {
  return [roundTo(Math.min(...values), 2), roundTo(Math.max(...values), 2)];
}

function plain({ value, unit }: Figure): string {
  const text = value.toLocaleString('en-US', { maximumFractionDigits: 2 });
  return unit === 'ratio' ? `× ${text}` : unit.endsWith('/s') ? text : `${text} ${unit}`;
}

function withSpread(one: Figure): string {
  const { value, spread = [value, value], atLeast, target } = one;
  const isMissed = (atLeast !== undefined && value < atLeast) || (target !== undefined && value > target);
  const goal = atLeast === undefined ? (target === undefined ? '' : ` ≤ ${target}`) : ` ≥ ${atLeast}`;
  return `${plain(one)} (${spread.join('–')})${goal}${goal === '' ? '' : isMissed ? ': MISSED' : ': met'}`;
}
