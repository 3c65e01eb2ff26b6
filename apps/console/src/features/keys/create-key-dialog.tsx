import type { CreatedKey, Scope } from '@berth/contract';
import { Button, CopyCode, CopyCommand, Dialog, Field, Form, FormActions, quote, Select } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { KEY_LIVES, type KeyLife, keyExpiry } from './key-expiry.ts';
import { ScopeBoxes } from './scope-boxes.tsx';

/** Dialog that creates an API key and shows its secret once. */
export function CreateKeyDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [life, setLife] = useState<KeyLife>('90');
  const create = useMutation<CreatedKey>({
    mutationFn: () => client.post('/v1/user/keys', { body: toRequest(name, scopes, life) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: QUERY_KEYS.keys }),
  });
  if (create.data) {
    return (
      <Dialog
        title={t('keys.created.title')}
        description={t('keys.created.text')}
        isOpen
        onClose={onClose}
        canClose={false}
      >
        <CopyCode code={create.data.secret} />
        <div className="mt-4 flex justify-end">
          <Button look="primary" onClick={onClose}>
            {t('keys.done')}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t('keys.create')} isOpen onClose={onClose}>
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <Field
          label={t('keys.name')}
          name="name"
          hint={t('keys.nameHint')}
          value={name}
          onChange={setName}
          required
          maxLength={100}
          autoComplete="off"
        />
        <ScopeBoxes scopes={scopes} onChange={setScopes} />
        <Select<KeyLife>
          label={t('keys.expiry')}
          value={life}
          onChange={setLife}
          options={KEY_LIVES.map((value) => ({
            value,
            label: value === 'never' ? t('keys.expiry.never') : t('keys.expiry.days', { count: Number(value) }),
          }))}
        />
        <FormActions>
          <CopyCommand
            cli={toCommand(name || 'my-key', scopes, life)}
            http={{ method: 'POST', path: '/v1/user/keys', body: toRequest(name || 'my-key', scopes, life) }}
          />
          <Button look="primary" type="submit" isBusy={create.isPending} disabled={scopes.length === 0}>
            {t('keys.create')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

function toCommand(name: string, scopes: readonly Scope[], life: KeyLife): string {
  const end = life === 'never' ? '' : ` --expires ${life}d`;
  return `npx berth keys create ${quote(name)} --scope ${scopes.join(',')}${end}`;
}

function toRequest(name: string, scopes: readonly Scope[], life: KeyLife) {
  const expires_at = keyExpiry(life, Date.now());
  return { name, scopes: [...scopes], ...(expires_at === undefined ? {} : { expires_at }) };
}
