/**
 * `node restore-state-main.ts DATA_FOLDER [--verify] [--keep-database]` completes a data folder that `berth admin restore` extracted from a backup of format 3:
 * it loads the tables in `restored-database` into the database of BERTH_DATABASE_URL, or into `berth.db` without one, and with `--verify`
 * compares the buckets with the lists in `restored-objects`. With `--keep-database` no table is loaded. It prints what it did as lines of JSON, each a {@link RestoredState}, and
 * removes both folders.
 */
import { createReadStream, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createError } from '@berth/contract';
import { type DumpedTable, loadDump } from '@berth/database';
import { BerthError } from '@berth/kit';
import type { BucketObject } from '@berth/object-store/s3';
import { type Config, readConfig } from '../config/read-config.ts';
import { endFirstRun } from '../data-folder/platform-folders.ts';
import { backedUpBuckets } from './backed-up-buckets.ts';
import { compareObjects, type ObjectProblem } from './compare-objects.ts';

/** A line that this program prints. */
export type RestoredState =
  | { readonly kind: 'database'; readonly database: 'postgres' | 'sqlite'; readonly rows: number }
  | ({ readonly kind: 'object' } & ObjectProblem)
  | { readonly kind: 'objects'; readonly bucket: string; readonly compared: number };

/** Settings that say where the platform's state is. */
const KEPT_SETTINGS = /^BERTH_(DATABASE_URL|S3_.*)$/;

const [folder = '', ...words] = process.argv.slice(2);
try {
  await restore(readSettings());
} catch (error) {
  console.error(BerthError.is(error) ? `berth: ${error.message}` : error);
  process.exitCode = 1;
}

function readSettings(): Config {
  const environment = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('BERTH_') || KEPT_SETTINGS.test(name),
  );
  const reading = readConfig({
    flags: { data: folder },
    environment: Object.fromEntries(environment),
    workingFolder: process.cwd(),
  });
  if ('faults' in reading) throw new Error(reading.faults.join('\n'));
  return reading.config;
}

async function restore(config: Config): Promise<void> {
  const [database, objects] = ['restored-database', 'restored-objects'].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  if (existsSync(database)) await restoreDatabase(config, database);
  if (words.includes('--verify') && existsSync(objects)) await verifyObjects(config, objects);
  for (const place of [database, objects]) rmSync(place, { recursive: true, force: true });
}

async function restoreDatabase({ databaseUrl: url }: Config, from: string): Promise<void> {
  if (words.includes('--keep-database')) {
    if (url !== undefined) return endFirstRun({ data: folder }, true);
    throw createError('invalid', '--keep-database needs the URL of the database in BERTH_DATABASE_URL.');
  }
  const rows = await loadDump({
    target: url === undefined ? { file: path.join(folder, 'berth.db') } : { url },
    tables: JSON.parse(readFileSync(path.join(from, 'tables.json'), 'utf8')) as DumpedTable[],
    async *chunks({ schema, name }) {
      for (const file of partsOf(path.join(from, `${schema}.${name}`))) yield readFileSync(file, 'utf8');
    },
  });
  if (url !== undefined) endFirstRun({ data: folder }, true);
  print({ kind: 'database', database: url === undefined ? 'sqlite' : 'postgres', rows });
}

async function verifyObjects(config: Config, from: string): Promise<void> {
  const buckets = backedUpBuckets(config);
  for (const name of readdirSync(from)) {
    const bucket = buckets.find((one) => one.name === name);
    let compared = 0;
    // Without the bucket in the settings, everything is missing.
    for await (const { problem, key } of compareObjects(readList(path.join(from, name)), bucket?.list() ?? none())) {
      compared++;
      if (problem) print({ kind: 'object', bucket: name, key, problem });
    }
    print({ kind: 'objects', bucket: name, compared });
  }
}

async function* none(): AsyncGenerator<BucketObject> {}

async function* readList(place: string): AsyncGenerator<BucketObject> {
  for (const file of partsOf(place)) {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const { size: sizeBytes, ...rest } = JSON.parse(line) as Omit<BucketObject, 'sizeBytes'> & { size: number };
      yield { ...rest, sizeBytes };
    }
  }
}

function partsOf(place: string): string[] {
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .sort()
    .map((name) => path.join(place, name));
}

function print(line: RestoredState): void {
  console.log(JSON.stringify(line));
}
