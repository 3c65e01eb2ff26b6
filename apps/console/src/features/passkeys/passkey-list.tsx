import type { Passkey } from '@berth/contract';
import { Button, CopyCommand, ErrorNote, Skeleton, useTell } from '@berth/ui';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { ConfirmPasswordDialog } from './confirm-password-dialog.tsx';
import { canUsePasskeys } from './passkey-browser.ts';
import { usePasskeyBrowser } from './passkey-browser-context.ts';
import { PasskeyRow } from './passkey-row.tsx';
import { RemovePasskeyDialog } from './remove-passkey-dialog.tsx';
import { RenamePasskeyDialog } from './rename-passkey-dialog.tsx';
import { needsPassword, useAddPasskey } from './use-add-passkey.ts';
import { usePasskeyWords } from './use-passkey-words.ts';

/** List of the person's passkeys, with a button that adds one. */
export function PasskeyList({ person }: { readonly person: { readonly id: string } }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const passkeys = usePasskeyBrowser();
  const queries = useQueryClient();
  const tell = useTell();
  const say = usePasskeyWords();
  const [renaming, setRenaming] = useState<Passkey>();
  const [removing, setRemoving] = useState<Passkey>();
  const { data, error, refetch } = useQuery({
    queryKey: QUERY_KEYS.passkeys,
    queryFn: ({ signal }) => client.get('/v1/user/passkeys', { signal }),
  });
  const add = useAddPasskey();
  // The password dialog stays open while the server checks the password.
  const isAsked = needsPassword(add.error) || (add.isPending && add.variables !== undefined);
  const remove = useMutation({
    mutationFn: ({ id }: Passkey) => client.delete('/v1/user/passkeys', { params: { query: { id } } }),
    async onSuccess(_answer, removed) {
      const left = (data ?? []).filter(({ id }) => id !== removed.id);
      queries.setQueryData(['passkeys'], left);
      setRemoving(undefined);
      tell(t('passkeys.removed', { name: removed.name }));
      await passkeys.tellAccepted({ id: person.id, credentialIds: left.map(({ credential_id }) => credential_id) });
    },
  });
  return (
    <div className="flex flex-col gap-4">
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data?.length === 0 && (
        <p className="rounded-md border border-dashed border-line-strong px-4 py-6 text-center text-ink-soft">
          {t('passkeys.empty')}
        </p>
      )}
      {data && data.length > 0 && (
        <ul aria-label={t('passkeys.title')} className="divide-y divide-line rounded-md border border-line">
          {data.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              onRename={() => setRenaming(passkey)}
              onRemove={() => setRemoving(passkey)}
            />
          ))}
        </ul>
      )}
      {add.error && !isAsked && <ErrorNote error={say(add.error)} />}
      <div className="flex justify-end gap-2">
        <CopyCommand cli="npx berth passkeys ls" http={{ method: 'GET', path: '/v1/user/passkeys' }} secret="session" />
        {canUsePasskeys(window) && (
          <Button look="primary" isBusy={add.isPending} onClick={() => add.mutate(undefined)}>
            <Plus aria-hidden className="size-4" />
            {t('passkeys.add')}
          </Button>
        )}
      </div>
      {isAsked && <ConfirmPasswordDialog add={add} />}
      {renaming && <RenamePasskeyDialog passkey={renaming} onClose={() => setRenaming(undefined)} />}
      {removing && (
        <RemovePasskeyDialog
          passkey={removing}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(removing)}
          onClose={() => {
            remove.reset();
            setRemoving(undefined);
          }}
        />
      )}
    </div>
  );
}
