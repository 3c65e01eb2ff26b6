import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { formatCell, formatCsv } from '@berth/client';
import type { SqlRow } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../errors/usage-error.ts';

/** `berth sql`. */
export const sql = defineCommand({
  name: 'sql',
  summary: "Query the account's logs and costs with SQL",
  description:
    'Runs one SELECT over the relations "logs" and "billing", which hold only your account\'s rows. The query is the argument, a file, or standard input. Prints a table on a terminal and JSON elsewhere.',
  words: { '[query]': 'The SQL query, in quotes' },
  options: { '-f, --file <path>': 'Read the query from a file', '--csv': 'Print CSV with a header row' },
  examples: [
    ["berth sql 'SELECT severity, COUNT(*) AS n FROM logs GROUP BY severity'", 'entries by severity'],
    ['berth sql -f errors.sql --csv > errors.csv', 'a query from a file, rows as CSV'],
    ["berth sql 'SELECT resource.name, SUM(cost) AS cost FROM billing GROUP BY 1'", 'cost by deployment'],
  ],
  async run({ words, options }, context) {
    const { connect, output } = context;
    const query = await readQuery(words[0], options.file, context);
    const rows = await (await connect()).post('/v1/sql', { body: { query } });
    if (options.csv && !output.isJson) output.print(formatCsv(rows));
    else if (output.isJson || !output.isTerminal.result) {
      output.json(rows);
      if (!output.isJson) output.print(JSON.stringify(rows, null, 2));
    } else printTable(rows, context);
  },
});

async function readQuery(word: string | undefined, file: string | undefined, context: Context): Promise<string> {
  if (word !== undefined && file !== undefined)
    throw new UsageError('Give the query as an argument or with --file, not both.');
  if (word !== undefined) return word;
  if (file !== undefined) {
    try {
      return await readFile(path.resolve(context.workingFolder, file), 'utf8');
    } catch (error) {
      throw new UsageError(`--file: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (context.prompts.isInteractive) throw new UsageError("No query. Run berth sql 'SELECT …'. Or pipe a query in.");
  return context.readInput();
}

function printTable(rows: readonly SqlRow[], { output }: Context): void {
  const names = Object.keys(rows[0] ?? {});
  if (names.length > 0) {
    const columns = names.map((name) => ({ heading: name, text: (row: SqlRow) => formatCell(row[name]) }));
    output.table(rows, columns);
  }
  output.say(rows.length === 1 ? '1 row' : `${rows.length} rows`);
}
