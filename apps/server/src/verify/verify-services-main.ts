/**
 * `node verify-services-main.ts DATA_FOLDER` starts the platform on a data folder that no server uses, on loopback and without
 * schedules, and prints each {@link VerifiedService} as a line of JSON. `berth admin restore --verify` runs it.
 */
import path from 'node:path';
import { openDatabase } from '@berth/database';
import { createIdSource, createSystemClock } from '@berth/kit';
import { startPlatform } from '../compose/start-platform.ts';
import { type Config, readConfig } from '../config/read-config.ts';
import { createPlatformLogger } from '../context/platform-logger.ts';
import { verifyServices } from './verify-services.ts';

/** Environment settings about how services run. Settings that reach outside, such as certificates and payments, are left out. */
const KEPT_SETTINGS =
  /^BERTH_(DATABASE_URL|MASTER_KEY.*|RUNTIME|ISOLATION|NETWORKS|NESTED_SANDBOXES|HOST_PORTS|BLOCKED_RANGES|DOCKER_.*|BASE_IMAGES|ALLOW_ROOT_IMAGES|READ_ONLY_ROOT|S3_.*|ENV_PREFIXES|START_TIMEOUT|LOG_LEVEL)$/;

const [dataFolder = ''] = process.argv.slice(2);
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_') || KEPT_SETTINGS.test(name)),
);
const reading = readConfig({
  flags: {
    data: dataFolder,
    host: '127.0.0.1',
    port: '0',
    'storage-port': '0',
    schedules: 'false',
    example: 'false',
  },
  environment,
  workingFolder: process.cwd(),
});
if ('faults' in reading) throw new Error(reading.faults.join('\n'));
const { config } = reading;
const clock = createSystemClock();
const logger = createPlatformLogger(config.logLevel);
const platform = await startPlatform({ config, environment, version: '', clock, ids: createIdSource(), logger });
try {
  await using database = await open(config);
  const onResult = (result: unknown) => console.log(JSON.stringify(result));
  await verifyServices({ db: database.db, port: Number(new URL(platform.addresses.apiUrl).port), clock, onResult });
} finally {
  await platform.close();
}

async function open({ dataFolder, databaseUrl: url }: Config) {
  const place = url === undefined ? { file: path.join(dataFolder, 'berth.db') } : { url };
  const { db, close } = await openDatabase({ ...place, logger });
  return { db, [Symbol.asyncDispose]: close };
}
