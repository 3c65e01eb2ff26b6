import { lookup } from 'node:dns/promises';
import path from 'node:path';
import { DEFAULT_URL } from '@berth/contract/limits';
import { runInBackground } from '@berth/kit';
import type { Platform, StartPlatformOptions } from './compose/start-platform.ts';
import { hasConsole } from './console/open-console.ts';
import { keepCompiledSources } from './data-folder/compiled-sources.ts';
import { preparePlatformFolders } from './data-folder/platform-folders.ts';
import { writePrivateFile } from './data-folder/write-private-file.ts';
import { openDiskReserve } from './disk/disk-reserve.ts';
import { banner, commandFor } from './startup/banner.ts';
import { deployExamples } from './startup/deploy-examples.ts';

/** Options of {@link runServer}. */
export interface RunServerOptions extends StartPlatformOptions {
  /** Prints to the terminal. */
  print(text: string): void;
}

/** Runs the platform in the foreground until Ctrl-C or SIGTERM; resolves when it has stopped. */
export async function runServer({ print, ...options }: RunServerOptions): Promise<void> {
  const { clock, config, logger, version } = options;
  const startedMs = clock.monotonicMs();
  const stopped = stopSignal(print, clock);
  if (config.role === 'collector') {
    const collector = await (await import('./collector/start-collector.ts')).startCollector(options);
    print(`Berth ${version}: collecting the output of services on ${config.nodeName}`);
    await stopped.requested;
    return collector.close();
  }
  // First of all, so that the folder is created with access for this user only.
  const { data } = preparePlatformFolders(config.dataFolder, config.databaseUrl !== undefined);
  const reserve = openDiskReserve(data, clock, logger);
  const writeCompiled = keepCompiledSources(data);
  const platform = await start(options).catch((error: unknown) => {
    reserve.close();
    throw error;
  });
  const firstRunFile = options.environment['JOURNAL_STREAM'] === undefined ? undefined : path.join(data, 'first-run');
  if (firstRunFile !== undefined && platform.firstRunSecret !== undefined) {
    writePrivateFile(firstRunFile, `${platform.addresses.apiUrl}/first-run#${platform.firstRunSecret}\n`);
  }
  print(
    banner({
      version,
      ...(firstRunFile === undefined ? {} : { firstRunFile }),
      apiUrl: platform.addresses.apiUrl,
      command: commandFor(
        { localUrl: platform.localUrl, dataFolder: config.dataFolder },
        { url: DEFAULT_URL, dataFolders: [path.resolve('.berth'), REPO_DATA] },
      ),
      dataFolder: config.dataFolder,
      runtime: platform.runtimeName,
      adminUrl: platform.adminUrl,
      hasConsole: hasConsole(),
      firstRunSecret: platform.firstRunSecret,
      operatorKey: platform.operatorKey,
      protections: await platform.protections(),
      startMs: clock.monotonicMs() - startedMs,
    }),
  );
  writeCompiled();
  runInBackground('domain', warnOfDomain(config.domain, platform, print), logger);
  const { localUrl, operatorKey } = platform;
  if (config.example && platform.isFirstRun && operatorKey) {
    const examples = deployExamples({
      platform: { localUrl, operatorKey },
      hasMounts: config.s3Bucket === undefined,
      print,
      signal: stopped.signal,
    });
    runInBackground('examples', examples, logger);
  }
  process.on('SIGHUP', () => runInBackground('certificates', platform.reloadCertificates(), logger));
  await stopped.requested;
  print('Stopping: running requests have 10 s to finish. Press Ctrl-C again to stop immediately.');
  await platform.close();
  reserve.close();
  print('Stopped.');
}

/** The data folder of `npm start` in the repo, which the `berth` command of the repo knows. */
const REPO_DATA = path.resolve(import.meta.dirname, '../../../.berth');

/** Prints a warning when the platform's own host name doesn't resolve, because the printed addresses won't work until it does. */
async function warnOfDomain(
  domain: string,
  { addresses, localUrl }: Pick<Platform, 'addresses' | 'localUrl'>,
  print: (text: string) => void,
): Promise<void> {
  if (domain === 'localhost') return;
  const host = new URL(addresses.apiUrl).hostname;
  const isKnown = await lookup(host)
    .then(() => true)
    .catch(() => false);
  if (isKnown) return;
  print(
    `  The name ${host} can't be resolved on this machine. Create a DNS record for *.${domain} that points to this server;\n` +
      `  until then, send the host as a header: curl -H 'Host: NAME.${domain}' ${localUrl}\n`,
  );
}

/** Starts the platform in one process or several. Only the modules that this process needs are loaded. */
async function start(options: StartPlatformOptions): Promise<Platform> {
  if (options.config.gatewayWorkers === 0) return (await import('./compose/start-platform.ts')).startPlatform(options);
  return (await import('./processes/start-processes.ts')).startProcesses(options);
}

interface StopSignal {
  readonly requested: Promise<void>;
  readonly signal: AbortSignal;
}

/** A signal to a process group may arrive twice: from its sender, and through `berth start`. */
const SAME_SIGNAL_MS = 200;

/** Handles signals: the first one stops the platform, the second one ends the process. No instance outlives it in either case. */
function stopSignal(print: (text: string) => void, clock: StartPlatformOptions['clock']): StopSignal {
  const controller = new AbortController();
  let lastMs = Number.NEGATIVE_INFINITY;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onSignal = () => {
    const nowMs = clock.monotonicMs();
    const isSame = nowMs - lastMs <= SAME_SIGNAL_MS;
    lastMs = nowMs;
    if (isSame) return;
    if (controller.signal.aborted) {
      print('Stopped immediately.');
      process.exit(130);
    }
    controller.abort();
    resolve();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { requested: promise, signal: controller.signal };
}
