import { readFileSync } from 'node:fs';
import path from 'node:path';
import { barX, plot, ruleX, text } from '@observablehq/plot';
import { Window } from 'happy-dom';
import type { BenchResult } from '../figure.ts';
import type { Topic } from './topics.ts';

/** Returns the path of the topic's plot. */
export function plotFile({ name }: Topic): string {
  return path.join(import.meta.dirname, `../../docs/images/performance-${name}.svg`);
}

const RESULTS = path.join(import.meta.dirname, '../results');
const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 760;
const ROW_HEIGHT = 22;

/**
 * Draws a topic from the results of the benches, as the text of an SVG file.
 * @throws Error when a result doesn't have a figure of the topic
 */
export function drawPlot({ axis, groups, isOurs = false }: Topic): string {
  const rows = groups.flatMap((group): Row[] => [
    ...(group.label === '' ? [] : [{ label: group.label }]),
    ...group.bars.map(([label, file, title]) => ({ label, value: findValue(file, title) })),
  ]);
  const { document } = new Window();
  const drawn = plot({
    document: document as unknown as Document,
    width: WIDTH,
    height: 70 + rows.length * ROW_HEIGHT,
    marginLeft: 230,
    marginRight: 60,
    marginBottom: 46,
    style: { fontSize: '12px', background: '#fff', color: '#4a5361' },
    x: { label: axis, grid: true, labelAnchor: 'left', labelArrow: 'none', labelOffset: 34, nice: true },
    y: { axis: null, domain: rows.keys(), padding: 0.15 },
    marks: [
      barX(rows, {
        x: 'value',
        y: (_row, index) => index,
        fill: ({ label }: Row) => (isOurs || label === 'Berth' ? '#2f6fde' : '#a9b1bd'),
      }),
      text(rows, {
        x: 'value',
        y: (_row, index) => index,
        text: ({ value }: Row) => value?.toLocaleString('en'),
        dx: 4,
        textAnchor: 'start',
      }),
      text(rows, {
        frameAnchor: 'left',
        y: (_row, index) => index,
        text: ({ label, value }: Row) => (value === undefined ? '' : label),
        dx: -6,
        textAnchor: 'end',
      }),
      text(rows, {
        frameAnchor: 'left',
        y: (_row, index) => index,
        text: ({ label, value }: Row) => (value === undefined ? label : ''),
        dx: 4,
        textAnchor: 'start',
        fontWeight: 600,
        fill: '#1c2330',
      }),
      ruleX([0]),
    ],
  });
  drawn.setAttribute('xmlns', SVG);
  drawn.setAttribute('role', 'img');
  // Rules for a page that holds the element itself.
  drawn.querySelector('style')?.remove();
  const title = document.createElementNS(SVG, 'title');
  title.textContent = axis;
  drawn.prepend(title as unknown as Node);
  return `${drawn.outerHTML}\n`;
}

/** A bar, or without a value the heading of a group. */
interface Row {
  readonly label: string;
  readonly value?: number;
}

function findValue(file: string, title: string): number {
  const { figures } = JSON.parse(readFileSync(path.join(RESULTS, `${file}.json`), 'utf8')) as BenchResult;
  const found = figures.find((figure) => figure.title === title);
  if (!found) throw new Error(`bench/results/${file}.json has no figure "${title}"`);
  return found.value;
}
