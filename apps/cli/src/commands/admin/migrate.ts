import path from 'node:path';
import { defineCommand } from '../../command/command.ts';
import { moveToKubernetes } from '../../database/move-to-kubernetes.ts';
import { type AdaptedValue, runMigration } from '../../database/run-migration.ts';
import { isDataFolder } from '../../disk/read-disk-use.ts';
import { UsageError } from '../../errors/usage-error.ts';

const URL_SHAPE = /^postgres(ql)?:\/\//;

/** `berth admin migrate`. */
export const adminMigrate = defineCommand({
  name: 'migrate',
  summary: "Move a server's database to Postgres or back, or all of a server to Kubernetes",
  description:
    "To postgres or sqlite: moves the database of a stopped server. Copies every table, compares both databases and switches the data folder to the copy. The moved database is kept under another name. An interrupted command continues when you run it again. Set the URL as BERTH_DATABASE_URL, because flags are visible to other users. Run it as the server's user.\n\nTo kubernetes: moves accounts, deployments, volumes, logs and certificates to Berth on a cluster. Set BERTH_DATABASE_URL, and BERTH_S3_BUCKET or BERTH_SHARED_FOLDER, to what the cluster uses. The first run copies files while the server runs, and can be repeated. Then stop the server and run the command with --switch, which copies the rest. Each copy is compared with its source. If the server's database is in another Postgres database, set BERTH_SOURCE_DATABASE_URL to its URL for this command.",
  options: {
    '--to <place>': 'postgres, the URL of a Postgres database, sqlite, or kubernetes',
    '--data <folder>': 'Data folder; BERTH_DATA or .berth by default',
    '--dry-run': 'Show what would be moved, and change nothing',
    '--switch': 'To kubernetes, with the server stopped: move the rest and the database',
  },
  examples: [
    [
      'BERTH_DATABASE_URL=postgres://… berth admin migrate --to postgres',
      'then start the server with the same variable',
    ],
    ['BERTH_DATABASE_URL=postgres://… berth admin migrate --to sqlite', 'then start the server without the variable'],
    ['berth admin migrate --to kubernetes --dry-run', 'what becomes of each volume and deployment'],
    ['berth admin migrate --to kubernetes', 'copy files while the server runs'],
    ['berth admin migrate --to kubernetes --switch', 'with the server stopped; then start Berth on the cluster'],
  ],
  async run({ options }, context) {
    const { output, workingFolder, dataFolders, environment, signal } = context;
    const { to: place = '', dryRun: isDryRun = false, switch: isSwitch = false } = options;
    const named = options.data === undefined ? undefined : path.resolve(workingFolder, options.data);
    const dataFolder = named ?? dataFolders.find(isDataFolder) ?? dataFolders[0] ?? '.berth';
    if (place === 'kubernetes') {
      if (isDryRun && isSwitch) throw new UsageError('Choose one of --dry-run and --switch.');
      const step = isDryRun ? 'plan' : isSwitch ? 'switch' : 'copy';
      return moveToKubernetes({ dataFolder, step }, context);
    }
    if (isSwitch) throw new UsageError('--switch is for --to kubernetes.');
    const to = URL_SHAPE.test(place) ? 'postgres' : place;
    if (to !== 'postgres' && to !== 'sqlite') {
      throw new UsageError('--to must be postgres, the URL of a Postgres database, sqlite, or kubernetes.');
    }
    const url = URL_SHAPE.test(place) ? place : environment['BERTH_DATABASE_URL'];
    if (!url) throw new UsageError('Set BERTH_DATABASE_URL to the URL of the Postgres database.');
    const adapted: AdaptedValue[] = [];
    const { tables, kept } = await runMigration({
      dataFolder,
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
