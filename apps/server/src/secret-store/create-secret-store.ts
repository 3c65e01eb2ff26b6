import { createError } from '@berth/contract';
import type { ReadExternal } from '@berth/control';
import { createLimiter, type Logger } from '@berth/kit';
import { runSecretCommand } from './run-secret-command.ts';

/** Options of {@link createSecretStore}. */
export interface SecretStoreOptions {
  /** A program and its first arguments; the secret's name is the last one. */
  readonly command: readonly string[];
  /** The server's variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/**
 * Reads secrets with the operator's command: `COMMAND… NAME`, with `BERTH_ACCOUNT` and `BERTH_DEPLOYMENT`. It decides
 * who may have what. A status other than 0 says that there is none, or not for this one. At most four run at once, and
 * one of an account.
 */
export function createSecretStore({ command, environment, logger }: SecretStoreOptions): ReadExternal {
  const limiter = createLimiter({ concurrency: 4, concurrencyPerKey: 1 });

  const read: ReadExternal = async ({ account, deployment, name }) => {
    const variables = { BERTH_ACCOUNT: account, BERTH_DEPLOYMENT: deployment };
    const result = await runSecretCommand([...command, name], environment, variables);
    if ('output' in result) {
      const value = result.output.replace(/\r?\n$/, '');
      if (value === '') return { problem: 'the secret store answered with nothing' };
      if (value.includes('\0')) return { problem: 'the secret has a NUL, which variables cannot hold' };
      return { value };
    }
    logger.warn({ account, deployment, secret: name, reason: result.failure }, 'BERTH_SECRETS_COMMAND failed');
    if (result.exitCode !== undefined)
      return { problem: `the secret store has none for "${deployment}": its command ${result.failure}` };
    throw createError(
      'unavailable',
      `The secret store doesn't answer: BERTH_SECRETS_COMMAND ${result.failure}. Nothing was changed. Try again later.`,
    );
  };

  return (request) => limiter.run(() => read(request), { key: request.account });
}
