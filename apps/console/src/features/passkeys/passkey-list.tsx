import type { Passkey } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { Button, Dialog, ErrorNote, Form, IconButton, MiddleText, Time, useCommand } from '@berth/ui';
import { useQueryClient } from '@tanstack/react-query';
import { FingerprintPattern, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { PasswordField } from '../../components/fields.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { canUsePasskeys } from './passkey-browser.ts';
import { usePasskeyBrowser } from './passkey-browser-context.ts';
import { RenamePasskeyDialog } from './rename-passkey-dialog.tsx';
import { type AddPasskey, needsPassword, useAddPasskey } from './use-add-passkey.ts';
import { usePasskeyWords } from './use-passkey-words.ts';

/** List of the person's passkeys, with a button that adds one. */
export function PasskeyList({ person }: { readonly person: { readonly id: string } }) {
  const { t } = useConsoleTexts();
  const passkeys = usePasskeyBrowser();
  const queries = useQueryClient();
  const say = usePasskeyWords();
  const [renaming, setRenaming] = useState<Passkey>();
  const [removing, setRemoving] = useState<Passkey>();
  const list = useRead(QUERY_KEYS.passkeys, (client, signal) => client.get('/v1/user/passkeys', { signal }));
  const add = useAddPasskey();
  // The password dialog stays open while the server checks the password.
  const isAsked = needsPassword(add.error) || (add.isPending && add.variables !== undefined);
  const takeOut = (removed: Passkey) => {
    const left = (list.data ?? []).filter(({ id }) => id !== removed.id);
    queries.setQueryData(QUERY_KEYS.passkeys, left);
    void passkeys.tellAccepted({ id: person.id, credentialIds: left.map(({ credential_id }) => credential_id) });
  };
  useCommand({
    label: t('passkeys.title'),
    cli: 'npx berth passkeys ls',
    http: { method: 'GET', path: '/v1/user/passkeys' },
    secret: 'session',
  });
  return (
    <div className="flex flex-col gap-4">
      <Loaded
        query={list}
        rows={2}
        empty={
          <p className="rounded-md border border-dashed border-line-strong px-4 py-6 text-center text-ink-soft">
            {t('passkeys.empty')}
          </p>
        }
      >
        {(rows) => (
          <ul aria-label={t('passkeys.title')} className="divide-y divide-line rounded-md border border-line">
            {rows.map((passkey) => (
              <PasskeyRow
                key={passkey.id}
                passkey={passkey}
                onRename={() => setRenaming(passkey)}
                onRemove={() => setRemoving(passkey)}
              />
            ))}
          </ul>
        )}
      </Loaded>
      {add.error && !isAsked && <ErrorNote error={say(add.error)} />}
      <div className="flex justify-end gap-2">
        {canUsePasskeys(window) && (
          <Button icon={Plus} look="primary" isBusy={add.isPending} onClick={() => add.mutate(undefined)}>
            {t('passkeys.add')}
          </Button>
        )}
      </div>
      {isAsked && <ConfirmPasswordDialog add={add} />}
      {renaming && <RenamePasskeyDialog passkey={renaming} onClose={() => setRenaming(undefined)} />}
      {removing && (
        <ConfirmAction
          title={t('passkeys.remove.title', { name: removing.name })}
          description={t('passkeys.remove.text')}
          action={t('people.remove')}
          command={{
            cli: `npx berth passkeys rm ${removing.id}`,
            http: { method: 'DELETE', path: `/v1/user/passkeys?id=${removing.id}` },
            secret: 'session',
          }}
          run={(client) => client.delete('/v1/user/passkeys', { params: { query: { id: removing.id } } })}
          said={() => t('passkeys.removed', { name: removing.name })}
          onDone={() => takeOut(removing)}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </div>
  );
}

/** Dialog that asks for the password before a passkey is added, when the last sign-in is too long ago. */
function ConfirmPasswordDialog({ add }: { readonly add: AddPasskey }) {
  const { t } = useConsoleTexts();
  const [password, setPassword] = useState('');
  const isWrong = BerthError.is(add.error, 'invalid');
  return (
    <Dialog title={t('passkeys.confirm.title')} description={t('passkeys.confirm.text')} isOpen onClose={add.reset}>
      <Form onSubmit={() => add.mutate(password)}>
        <PasswordField
          problem={isWrong ? t('password.wrong') : undefined}
          maxLength={128}
          value={password}
          onChange={setPassword}
        />
        <Button look="primary" type="submit" isBusy={add.isPending} className="self-end">
          {t('passkeys.confirm.submit')}
        </Button>
      </Form>
    </Dialog>
  );
}

interface PasskeyRowProps {
  readonly passkey: Passkey;
  onRename(): void;
  onRemove(): void;
}

/** One passkey in the list, with buttons to rename and remove it. */
function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps) {
  const { t } = useConsoleTexts();
  const { name, is_synced, created_at, last_used_at } = passkey;
  return (
    <li className="flex items-center gap-3 px-3 py-2">
      <FingerprintPattern aria-hidden className="size-5 shrink-0 text-ink-soft" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          <MiddleText text={name} />
        </p>
        <ul className="flex flex-wrap gap-x-3 text-xs text-ink-soft">
          <li>{t(is_synced ? 'passkeys.synced' : 'passkeys.single')}</li>
          <li>
            <Time at={created_at} says={(when) => t('passkeys.created', { when })} />
          </li>
          <li>
            {last_used_at === null ? (
              t('passkeys.unused')
            ) : (
              <Time at={last_used_at} says={(when) => t('passkeys.used', { when })} />
            )}
          </li>
        </ul>
      </div>
      <IconButton icon={Pencil} label={t('passkeys.rename', { name })} onClick={onRename} />
      <IconButton icon={Trash2} label={t('passkeys.remove', { name })} onClick={onRemove} />
    </li>
  );
}
