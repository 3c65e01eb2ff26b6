import { spawn } from 'node:child_process';
import { createError } from '@berth/contract/errors';
import type { Clock } from '@berth/kit';
import type { DnsProvider } from './dns-records.ts';

/** Options of {@link createDnsCommand}. */
export interface DnsCommandOptions {
  /** A program and its first arguments. No shell reads them. */
  readonly words: readonly string[];
  /** All variables of the command. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Creates a provider that runs a command with the arguments `present` or `cleanup`, the record's name and its value. */
export function createDnsCommand(options: DnsCommandOptions): DnsProvider {
  return {
    add: ({ name, value }, signal) => run(options, ['present', name, value], signal),
    remove: ({ name, value }) => run(options, ['cleanup', name, value]),
  };
}

function run(options: DnsCommandOptions, last: readonly string[], signal?: AbortSignal): Promise<void> {
  const { words, environment, timeoutMs, clock } = options;
  const [program = '', ...first] = words;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const fail = (reason: string) => {
      const advice = "Berth doesn't log its output, which may contain secrets. Run it as the server's user to see why.";
      reject(createError('unavailable', `BERTH_ACME_DNS_COMMAND ${reason}: ${program} ${last[0]}. ${advice}`));
    };
    // A process group of its own, so that what the command started ends with it.
    const child = spawn(program, [...first, ...last], { env: { ...environment }, stdio: 'ignore', detached: true });
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group has ended.
      }
    };
    const timer = clock.setTimer(timeoutMs, () => {
      end();
      fail(`didn't end within ${timeoutMs / 1_000} s`);
    });
    signal?.addEventListener('abort', end, { once: true });
    const settle = () => {
      timer.cancel();
      signal?.removeEventListener('abort', end);
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      settle();
      fail(`failed (${error.code})`);
    });
    child.on('exit', (code, killedBy) => {
      settle();
      if (code === 0) resolve();
      else fail(code === null ? `was ended by ${killedBy}` : `ended with code ${code}`);
    });
  });
}
