import { flushCompileCache } from 'node:module';
import { argv, stdout } from 'node:process';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { createFileLogStore } from '../create-file-log-store.ts';
import { openFileParquet } from './file-parquet.ts';

/**
 * A program that writes numbered entries until it is killed: `node crash-writer.ts FOLDER FIRST_NUMBER [parquet]`. It
 * prints a line `NUMBER` after every flush: that entry and all before it are on the disk.
 */
const [, , folder = '', firstNumber = '0', format = 'lines'] = argv;
const clock = createSystemClock();
const logger = createSilentLogger();
const store = createFileLogStore({
  folder,
  clock,
  logger,
  ...(format === 'parquet' ? { parquet: await openFileParquet(folder, clock) } : {}),
  // Small, so that a kill meets the start of a segment too, and its middle: it has the entries of two flushes.
  limits: { segmentBytes: 32_000 },
});
// The program never ends by itself, so what it compiled is written for its next start here.
flushCompileCache();
const scope = { account: 'acme', deployment: 'shop' };

for (let number = Number(firstNumber); ; ) {
  for (let batch = 0; batch < 20; batch++) {
    const entries = Array.from({ length: 1 + (number % 4) }, (_, index) => ({
      logName: 'stdout' as const,
      severity: 'INFO' as const,
      message: `${number + index} ${'x'.repeat((number * 7 + index) % 500)}`,
    }));
    number += entries.length;
    await store.append(scope, entries);
  }
  await store.flush();
  stdout.write(`${number - 1}\n`);
}
