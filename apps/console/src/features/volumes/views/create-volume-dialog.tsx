import { Button, Dialog, Form, FormActions, quote } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useAction } from '../../../api/use-action.ts';
import { CodeNameField } from '../../../components/fields.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Dialog that creates a volume. */
export function CreateVolumeDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const [name, setName] = useState('');
  const create = useAction((client) => client.post('/v1/volume/create', { body: { name } }), {
    refreshes: [QUERY_KEYS.volumes],
    said: ({ created }) => t(created ? 'volumes.created' : 'volumes.existed', { name }),
    onDone: onClose,
  });
  const shown = name || 'media';
  return (
    <Dialog
      command={{
        cli: `npx berth volume create ${quote(shown)}`,
        http: { method: 'POST', path: '/v1/volume/create', body: { name: shown } },
      }}
      title={t('volumes.create')}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <CodeNameField
          label={t('shell.name')}
          name="name"
          hint={t('volumes.nameHint')}
          value={name}
          onChange={setName}
          required
          maxLength={63}
        />
        <FormActions>
          <Button look="primary" type="submit" isBusy={create.isPending} disabled={name === ''}>
            {t('volumes.create')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
