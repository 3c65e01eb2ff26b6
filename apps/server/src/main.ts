import { readFileSync } from 'node:fs';
import { BerthError, createIdSource, createSystemClock } from '@berth/kit';
import { helpText, readArguments } from './config/read-arguments.ts';
import { describeConfig, readConfig } from './config/read-config.ts';
import { createPlatformLogger } from './context/platform-logger.ts';
import { releaseIdleMemory } from './context/release-idle-memory.ts';
import { describeSystemError } from './data-folder/describe-system-error.ts';
import { runServer } from './run-server.ts';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
const words = readArguments(process.argv.slice(2));
if ('fault' in words) usageError([words.fault]);
else if (words.wantsHelp) console.log(helpText());
else {
  const reading = readConfig({ flags: words.flags, environment: process.env, workingFolder: process.cwd() });
  if ('faults' in reading) usageError(reading.faults);
  else if (words.wantsConfig) console.log(describeConfig(reading));
  else {
    const logger = createPlatformLogger(reading.config.logLevel);
    const clock = createSystemClock();
    releaseIdleMemory(clock);
    try {
      await runServer({
        config: reading.config,
        environment: process.env,
        version: manifest.version,
        clock,
        ids: createIdSource(),
        logger,
        print: (text) => console.log(text),
      });
    } catch (error) {
      // An error that a person can fix is printed as a sentence; any other error is a bug and is printed with its stack.
      const sentence = BerthError.is(error) ? error.message : describeSystemError(error);
      console.error(sentence === undefined ? error : `berth: ${sentence}`);
      process.exitCode = 1;
    }
  }
}

function usageError(faults: readonly string[]): void {
  for (const fault of faults) console.error(`berth: ${fault}`);
  process.exitCode = 2;
}
