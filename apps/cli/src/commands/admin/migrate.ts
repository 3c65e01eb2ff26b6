import path from 'node:path';
import { defineCommand } from '../../command/command.ts';
import { type AdaptedValue, runMigration } from '../../database/run-migration.ts';
import { isDataFolder } from '../../disk/read-disk-use.ts';
import { UsageError } from '../../errors/usage-error.ts';

const URL_SHAPE = /^postgres(ql)?:\/\//;

/** `berth admin migrate`. */
export const adminMigrate = defineCommand({
  name: 'migrate',
  summary: "Move a stopped server's database to Postgres, or back to SQLite",
  description:
    "Copies every table, compares both databases and switches the data folder to the copy. The moved database is kept under another name. An interrupted command continues when you run it again. Set the URL as BERTH_DATABASE_URL, because flags are visible to other users. Run it as the server's user.",
  options: {
    '--to <place>': 'postgres, the URL of a Postgres database, or sqlite',
    '--data <folder>': 'Data folder; BERTH_DATA or .berth by default',
    '--dry-run': 'Show the tables and their rows, and change nothing',
  },
  examples: [
    [
      'BERTH_DATABASE_URL=postgres://… berth admin migrate --to postgres',
      'then start the server with the same variable',
    ],
    ['BERTH_DATABASE_URL=postgres://… berth admin migrate --to sqlite', 'then start the server without the variable'],
  ],
  async run({ options }, { output, workingFolder, dataFolders, environment, signal }) {
    const { to: place = '', dryRun: isDryRun = false } = options;
    const to = URL_SHAPE.test(place) ? 'postgres' : place;
    if (to !== 'postgres' && to !== 'sqlite') {
      throw new UsageError('--to must be postgres, the URL of a Postgres database, or sqlite.');
    }
    const url = URL_SHAPE.test(place) ? place : environment['BERTH_DATABASE_URL'];
    if (!url) throw new UsageError('Set BERTH_DATABASE_URL to the URL of the Postgres database.');
    const named = options.data === undefined ? undefined : path.resolve(workingFolder, options.data);
    const adapted: AdaptedValue[] = [];
    const { tables, kept } = await runMigration({
      dataFolder: named ?? dataFolders.find(isDataFolder) ?? dataFolders[0] ?? '.berth',
      to,
      url,
      isDryRun,
      environment,
      signal,
      onProgress: ({ table, copied, rows }) => output.showStatus(`  Copying ${table}: ${copied} of ${rows} rows`),
      onAdapted: (value) => adapted.push(value),
    }).finally(() => output.clearStatus());
    for (const { table, key, column, reason } of adapted) {
      output.warn(`${table} ${key.join(' ')}, ${column}: ${reason}.`);
    }
    output.json({ to, dry_run: isDryRun, tables, adapted, kept: kept ?? null });
    if (isDryRun) {
      const columns = [
        { heading: 'table', text: ({ table }: (typeof tables)[number]) => table },
        { heading: 'rows', text: ({ rows }: (typeof tables)[number]) => String(rows) },
      ];
      output.table(tables, columns);
      return;
    }
    const total = tables.reduce((sum, { rows }) => sum + rows, 0);
    const target = to === 'postgres' ? 'Postgres' : 'SQLite';
    if (tables.length === 0) output.say(`The database is in ${target} already.`);
    else output.say(`Copied ${total} rows of ${tables.length} tables to ${target}. Both databases have the same rows.`);
    if (kept) output.say(to === 'postgres' ? `The SQLite database is kept: ${kept}` : `The schema is kept as ${kept}.`);
    output.print(
      to === 'postgres'
        ? 'Start the server with BERTH_DATABASE_URL set to the URL of the database.'
        : 'Start the server without BERTH_DATABASE_URL.',
    );
  },
});
