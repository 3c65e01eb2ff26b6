import type { Scope } from '@berth/contract';
import { SCOPES } from '@berth/contract/rights';
import { Button, Dialog, Field, Form, FormActions, quote, Select } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { ShowOnceDialog } from '../../components/show-once-dialog.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Lifetimes of a new key, in days. */
const KEY_LIVES = ['30', '90', '365', 'never'] as const;
type KeyLife = (typeof KEY_LIVES)[number];

/** Dialog that creates an API key and shows its secret once. */
export function CreateKeyDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [life, setLife] = useState<KeyLife>('90');
  const create = useAction((client) => client.post('/v1/user/keys', { body: toRequest(name, scopes, life) }), {
    refreshes: [QUERY_KEYS.keys],
  });
  if (create.data) {
    const title = t('keys.created.title');
    return <ShowOnceDialog title={title} text={t('keys.created.text')} code={create.data.secret} onClose={onClose} />;
  }
  return (
    <Dialog
      command={{
        cli: toCommand(name || 'my-key', scopes, life),
        http: { method: 'POST', path: '/v1/user/keys', body: toRequest(name || 'my-key', scopes, life) },
      }}
      title={t('keys.create')}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <Field
          label={t('shell.name')}
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
  const end = life === 'never' ? {} : { expires_at: new Date(Date.now() + Number(life) * 86_400_000).toISOString() };
  return { name, scopes: [...scopes], ...end };
}

interface ScopeBoxesProps {
  readonly scopes: readonly Scope[];
  onChange(scopes: readonly Scope[]): void;
}

function ScopeBoxes({ scopes, onChange }: ScopeBoxesProps) {
  const { t } = useConsoleTexts();
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange(SCOPES.filter((one) => (one === scope ? isOn : scopes.includes(one))));
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">{t('keys.scopes')}</legend>
      {SCOPES.map((scope) => (
        <label key={scope} className="flex items-center gap-2 max-sm:min-h-8">
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={(event) => toggle(scope, event.target.checked)}
            className="size-4 accent-accent-ground"
          />
          <code className="w-16 font-mono text-xs">{scope}</code>
          <span className="text-ink-soft">{t(`keys.scope.${scope}`)}</span>
        </label>
      ))}
      {scopes.length === 0 && (
        <p role="alert" className="text-xs text-bad">
          {t('keys.pickScope')}
        </p>
      )}
    </fieldset>
  );
}
