import type { Passkey } from '@berth/contract';
import { BerthError } from '@berth/kit';
import type { UseMutationResult } from '@tanstack/react-query';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { usePasskeyBrowser } from './passkey-browser-context.ts';

/** Mutation that adds a passkey. Takes the password if the server requires it for an older session. */
export type AddPasskey = UseMutationResult<Passkey, Error, string | undefined>;

/** Returns whether the server requires the password, or refused the one it got. */
export function needsPassword(error: unknown): boolean {
  return BerthError.is(error, 'forbidden') || BerthError.is(error, 'invalid');
}

/** Returns the mutation that adds a passkey to the signed-in person. */
export function useAddPasskey(): AddPasskey {
  const { t } = useConsoleTexts();
  const passkeys = usePasskeyBrowser();
  return useAction(
    async (client, password: string | undefined) => {
      const credential = await passkeys.create(await client.post('/v1/user/passkeys/options', { body: { password } }));
      return client.post('/v1/user/passkeys', { body: { credential } });
    },
    { refreshes: [QUERY_KEYS.passkeys], said: ({ name }) => t('passkeys.added', { name }) },
  );
}
