import { Button, CopyCommand, Dialog, Field, Form, FormActions, quote, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Dialog that creates a volume. */
export function CreateVolumeDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const [name, setName] = useState('');
  const run = useMutation({
    mutationFn: () => client.post('/v1/volume/create', { body: { name } }),
    async onSuccess({ created }) {
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.volumes });
      tell(t(created ? 'volumes.created' : 'volumes.existed', { name }));
      onClose();
    },
  });
  const shown = name || 'media';
  return (
    <Dialog title={t('volumes.create')} isOpen onClose={onClose}>
      <Form onSubmit={() => run.mutate()} error={run.error}>
        <Field
          label={t('volumes.name')}
          name="name"
          hint={t('volumes.nameHint')}
          value={name}
          onChange={setName}
          required
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
        />
        <FormActions>
          <CopyCommand
            cli={`npx berth volume create ${quote(shown)}`}
            http={{ method: 'POST', path: '/v1/volume/create', body: { name: shown } }}
          />
          <Button look="primary" type="submit" isBusy={run.isPending} disabled={name === ''}>
            {t('volumes.create')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
