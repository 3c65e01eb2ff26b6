import { lookup } from 'node:dns/promises';
import path from 'node:path';
import { runInBackground } from '@berth/kit';
import type { Platform, StartPlatformOptions } from './compose/start-platform.ts';
import { hasConsole } from './console/open-console.ts';
import { keepCompiledSources } from './data-folder/compiled-sources.ts';
import { preparePlatformFolders } from './data-folder/platform-folders.ts';
import { openDiskReserve } from './disk/disk-reserve.ts';
import { banner, commandFor } from './startup/banner.ts';
import { deployExamples } from './startup/deploy-examples.ts';

export interface RunServerOptions extends StartPlatformOptions {
  /** Tells the person at the terminal. */
  print(text: string): void;
}

/** Starts the platform in the foreground and stops it at Ctrl-C or SIGTERM; resolves when it has stopped. */
export async function runServer({ print, ...options }: RunServerOptions): Promise<void> {
  const { clock, config, logger, version } = options;
  const startedMs = clock.monotonicMs();
  const stopped = stopSignal(print);
  // Before anything else makes it: nobody but this user may look into it.
  const { data } = preparePlatformFolders(config.dataFolder);
  const reserve = openDiskReserve({ folder: data, clock, logger });
  const writeCompiled = keepCompiledSources(data);
  const platform = await start(options).catch((error: unknown) => {
    reserve.close();
    throw error;
  });
  print(
    banner({
      version,
      apiUrl: platform.addresses.apiUrl,
      command: commandFor(
        { localUrl: platform.localUrl, dataFolder: config.dataFolder },
        { url: 'http://localhost:8787', dataFolders: [path.resolve('.berth'), REPO_DATA] },
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
  if (config.example && platform.isFirstRun) {
    runInBackground('examples', deployExamples({ platform, print, signal: stopped.signal }), logger);
  }
  process.on('SIGHUP', () => runInBackground('certificates', platform.reloadCertificates(), logger));
  await stopped.requested;
  print('Stopping: requests that run get 10 s to end. Ctrl-C again stops at once.');
  await platform.close();
  reserve.close();
  print('Stopped.');
}

/** The data folder of `npm start` in the repo, which the `berth` command of the repo knows. */
const REPO_DATA = path.resolve(import.meta.dirname, '../../../.berth');

/** Says when the platform's own name leads nowhere: nobody reaches what is printed until it does. */
async function warnOfDomain(
  domain: string,
  { addresses, localUrl }: Pick<Platform, 'addresses' | 'localUrl'>,
  print: (text: string) => void,
): Promise<void> {
  if (domain === 'localhost') return;
  const host = new URL(addresses.apiUrl).hostname;
  const isKnown = await lookup(host).then(
    () => true,
    () => false,
  );
  if (isKnown) return;
  print(
    `  The name ${host} can't be looked up on this machine. Make a DNS record for *.${domain} that leads to this server;\n` +
      `  until then ask with a header: curl -H 'Host: NAME.${domain}' ${localUrl}\n`,
  );
}

/** Loads only what this process is to do: with workers, the control plane is not its business. */
async function start(options: StartPlatformOptions): Promise<Platform> {
  if (options.config.gatewayWorkers === 0) return (await import('./compose/start-platform.ts')).startPlatform(options);
  return (await import('./processes/start-processes.ts')).startProcesses(options);
}

interface StopSignal {
  readonly requested: Promise<void>;
  readonly signal: AbortSignal;
}

/** The first signal asks for a clean stop, the second ends the process; no instance outlives it either way. */
function stopSignal(print: (text: string) => void): StopSignal {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const onSignal = () => {
    if (controller.signal.aborted) {
      print('Stopped at once.');
      process.exit(130);
    }
    controller.abort();
    resolve();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { requested: promise, signal: controller.signal };
}
