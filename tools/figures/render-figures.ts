import type { RepositoryFigures } from './measure-repository.ts';

/** The figures of a repository with the sizes of what is installed for it. */
export interface Figures extends RepositoryFigures {
  /** Bytes of all `node_modules`; 0 where nothing is installed. */
  readonly nodeModulesBytes: number;
  /** Bytes of the `node_modules` of a production install; undefined unless it was asked for. */
  readonly productionInstallBytes: number | undefined;
}

/** Renders the figures for people. */
export function renderFigures(figures: Figures): string {
  const { fileLines, duplicates } = figures;
  const rows: readonly (readonly [string, string])[] = [
    ['Source', `${number(figures.sourceFiles)} files, ${number(figures.sourceLines)} lines`],
    ['Tests', `${number(figures.testFiles)} files, ${number(figures.testLines)} lines`],
    ['Tests / source', ratio(figures.testRatio)],
    ['Lines a file', `median ${fileLines.median}, p90 ${fileLines.p90}, max ${fileLines.max} (${fileLines.longest})`],
    ['Folder pairs', `${number(figures.folderPairs)}, of which ${figures.knots} import each other`],
    [
      'Documented exports',
      `${percent(figures.documentedRatio)} (${number(figures.documentedExports)} of ${number(figures.exports)})`,
    ],
    ['Comment lines', `${percent(figures.commentRatio)} of source (${number(figures.commentLines)})`],
    [
      'Duplicates',
      `${number(duplicates.source.pairs)} pairs in source, ${number(duplicates.tests.pairs)} in tests (runs of 6 lines and more)`,
    ],
    ['node_modules', mebibytes(figures.nodeModulesBytes)],
    ['Production install', mebibytes(figures.productionInstallBytes, 'not measured; add --install')],
  ];
  const table = [
    ['PART', 'FILES', 'SOURCE', 'TESTS', 'TESTS/SOURCE', 'KNOTS'],
    ...figures.parts.map((part) => [
      part.name,
      number(part.sourceFiles),
      number(part.sourceLines),
      number(part.testLines),
      ratio(part.testRatio),
      String(part.knots),
    ]),
  ];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((cells) => (cells[column] as string).length)));
  return [
    ...rows.map(([name, value]) => `${name.padEnd(20)}${value}`),
    '',
    ...table.map((cells) =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths?.[0] ?? 0) : cell.padStart(widths?.[column] ?? 0)))
        .join('  '),
    ),
    '',
    'Longest duplicates in source:',
    ...duplicates.source.longest.map(
      ({ lines, places }) => `  ${String(lines).padStart(3)} lines  ${places.join('  ')}`,
    ),
    '',
  ].join('\n');
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function ratio(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(2);
}

function percent(value: number | undefined): string {
  return value === undefined ? '-' : `${(100 * value).toFixed(1)} %`;
}

function mebibytes(bytes: number | undefined, without = '-'): string {
  return bytes ? `${number(Math.round(bytes / 2 ** 20))} MiB` : without;
}
