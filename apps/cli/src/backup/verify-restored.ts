import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createError } from '@berth/contract/errors';

/** The response of a restored service. Its shape is that of `apps/server/src/verify/verify-services.ts`. */
export interface VerifiedService {
  readonly deployment: string;
  readonly account: string;
  readonly serves: boolean;
  readonly status: number;
  readonly ms: number;
  readonly reason: string;
}

/** Options of {@link verifyRestored}. */
export interface VerifyRestoredOptions {
  /** A data folder that no server runs on. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  onResult(service: VerifiedService): void;
}

const PROGRAM = fileURLToPath(new URL('../../../server/src/verify/verify-services-main.ts', import.meta.url));

/**
 * Starts the platform on a restored folder, on loopback only, requests each service once and stops it again.
 * @throws BerthError `unavailable` when the platform doesn't start; the reason is on standard error
 */
export async function verifyRestored(options: VerifyRestoredOptions): Promise<readonly VerifiedService[]> {
  const { folder, environment, signal, onResult } = options;
  const services: VerifiedService[] = [];
  const child = spawn(process.execPath, [PROGRAM, folder], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const service = JSON.parse(line) as VerifiedService;
    services.push(service);
    onResult(service);
  });
  const [code] = await ended;
  if (code === 0) return services;
  const message = `The restored platform could not be started to verify its services. ${folder} is complete.`;
  throw createError('unavailable', message);
}
