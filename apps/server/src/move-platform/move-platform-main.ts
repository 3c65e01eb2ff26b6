/**
 * `node move-platform-main.ts DATA_FOLDER plan|copy|switch` moves the platform of a data folder to servers on Kubernetes. The environment has
 * the settings of those servers. It prints its progress and its result as lines of JSON. `berth admin migrate --to kubernetes` runs it.
 */
import { BerthError, createSystemClock } from '@berth/kit';
import { createPlatformLogger } from '../context/platform-logger.ts';
import { movePlatform } from './move-platform.ts';

const [dataFolder = '', step] = process.argv.slice(2);
if (step !== 'plan' && step !== 'copy' && step !== 'switch') throw new Error('wrong arguments');
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
const print = (line: object) => console.log(JSON.stringify(line));
try {
  const moved = await movePlatform({
    ...{ dataFolder, step, environment: process.env },
    clock: createSystemClock(),
    logger: createPlatformLogger('error'),
    signal: stopping.signal,
    onProgress: (progress) => print({ progress }),
    onAdapted: (adapted) => print({ adapted }),
  });
  print({ moved: moved ?? null });
} catch (error) {
  if (!BerthError.is(error)) throw error;
  print({ error: { code: error.code, message: error.message } });
  process.exitCode = 1;
}
