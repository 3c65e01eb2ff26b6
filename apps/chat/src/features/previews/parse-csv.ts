/** The parsed part of a CSV file. */
export interface CsvTable {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** True when the file has more rows than were read. */
  readonly isCut: boolean;
}

/** Matches a cell and its end. A quoted cell may contain anything; quotes in it are doubled. Source: RFC 4180 §2. */
const cellPattern = (separator: string) =>
  new RegExp(`(?:"((?:[^"]|"")*)"?|([^${separator}\\r\\n]*))(${separator}|\\r?\\n|\\r|$)`, 'y');

/** Parses the header and the first `maxRows` rows. The separator is `,`, `;` or a tab, whichever the first line has most of. */
export function parseCsv(text: string, maxRows: number): CsvTable {
  const source = text.replace(/^\uFEFF/, '');
  const cell = cellPattern(separatorOf(source.slice(0, source.search(/[\r\n]|$/))));
  const rows: string[][] = [];
  let row: string[] = [];
  while (cell.lastIndex < source.length || row.length > 0) {
    const from = cell.lastIndex;
    const [whole = '', quoted, plain = '', end = ''] = cell.exec(source) ?? [];
    // Text after a closing quote is invalid: skip it up to the next cell.
    if (whole === '' && from < source.length) {
      cell.lastIndex = from + 1;
      continue;
    }
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '' || /[\r\n]/.test(end)) {
      rows.push(row);
      row = [];
      if (rows.length > maxRows + 1) break;
    }
    if (end === '') break;
  }
  const [headers = [], ...body] = rows;
  return { headers, rows: body.slice(0, maxRows), isCut: body.length > maxRows };
}

function separatorOf(line: string): string {
  const count = (mark: string) => line.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}
