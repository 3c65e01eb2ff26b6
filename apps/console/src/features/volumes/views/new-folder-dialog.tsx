import { Button, Dialog, Field, Form, FormActions } from '@berth/ui';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { isFolderName } from '../state/folder-path.ts';

interface NewFolderDialogProps {
  readonly volume: string;
  readonly folder: string;
  onClose(): void;
}

/** Dialog that opens a folder that does not exist yet. Uploading the first file creates it. */
export function NewFolderDialog({ volume, folder, onClose }: NewFolderDialogProps) {
  const { t } = useConsoleTexts();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const isGood = isFolderName(name);
  return (
    <Dialog title={t('files.newFolder.title')} description={t('files.newFolder.text')} isOpen onClose={onClose}>
      <Form
        onSubmit={() => {
          if (!isGood) return;
          onClose();
          void navigate({ to: '/volumes/$volume', params: { volume }, search: { path: `${folder}${name}/` } });
        }}
      >
        <Field
          label={t('files.newFolder.name')}
          value={name}
          onChange={setName}
          problem={name === '' || isGood ? undefined : t('files.newFolder.problem')}
          autoComplete="off"
          dir="auto"
        />
        <FormActions>
          <Button look="primary" type="submit" disabled={!isGood}>
            {t('files.newFolder.open')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
