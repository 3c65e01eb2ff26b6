/**
 * `node move-database-main.ts DATA_FOLDER postgres|sqlite [--dry-run]` moves the database of a data folder that no server uses. The URL of
 * Postgres is in BERTH_DATABASE_URL. It prints its progress and its result as lines of JSON. `berth admin migrate` runs it.
 */
import { BerthError, createSystemClock } from '@berth/kit';
import { createPlatformLogger } from '../context/platform-logger.ts';
import { moveDatabase } from './move-database.ts';

const [dataFolder = '', to, flag] = process.argv.slice(2);
const url = process.env['BERTH_DATABASE_URL'];
if ((to !== 'postgres' && to !== 'sqlite') || url === undefined) throw new Error('wrong arguments');
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
const print = (line: object) => console.log(JSON.stringify(line));
try {
  const moved = await moveDatabase({
    dataFolder,
    to,
    url,
    isDryRun: flag === '--dry-run',
    clock: createSystemClock(),
    logger: createPlatformLogger('error'),
    signal: stopping.signal,
    onProgress: (progress) => print({ progress }),
    onAdapted: (adapted) => print({ adapted }),
  });
  print({ moved });
} catch (error) {
  if (!BerthError.is(error)) throw error;
  print({ error: { code: error.code, message: error.message } });
  process.exitCode = 1;
}
