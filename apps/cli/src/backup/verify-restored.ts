import { createError } from '@berth/contract/errors';
import { runServerProgram, type ServerProgram } from '../server-program/run-server-program.ts';

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
export interface VerifyRestoredOptions extends Pick<ServerProgram<VerifiedService>, 'environment' | 'signal'> {
  /** A data folder that no server runs on. */
  readonly folder: string;
  onResult(service: VerifiedService): void;
}

/**
 * Starts the platform on a restored folder, on loopback only, requests each service once and stops it again.
 * @throws BerthError `unavailable` when the platform doesn't start; the reason is on standard error
 */
export async function verifyRestored(options: VerifyRestoredOptions): Promise<readonly VerifiedService[]> {
  const { folder, environment, signal, onResult } = options;
  const services: VerifiedService[] = [];
  const isStarted = await runServerProgram<VerifiedService>({
    program: 'verify/verify-services-main.ts',
    words: [folder],
    ...{ environment, signal },
    onLine(service) {
      services.push(service);
      onResult(service);
    },
  });
  if (isStarted) return services;
  const message = `The restored platform could not be started to verify its services. ${folder} is complete.`;
  throw createError('unavailable', message);
}
