import { Button, Dialog, Field, Form } from '@berth/ui';
import { useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Props of {@link SaveQuery}. */
export interface SaveQueryProps {
  onClose(): void;
  onSave(name: string): void;
}

/** Dialog that asks for the name under which to save a query. */
export function SaveQuery({ onClose, onSave }: SaveQueryProps) {
  const { t } = useConsoleTexts();
  const [name, setName] = useState('');
  const submit = () => {
    if (name.trim() !== '') onSave(name.trim());
  };
  return (
    <Dialog title={t('sql.save.title')} description={t('sql.save.where')} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <Field label={t('sql.save.name')} value={name} onChange={setName} maxLength={100} required autoFocus />
        <Button type="submit" look="primary" className="self-end" disabled={name.trim() === ''}>
          {t('sql.save')}
        </Button>
      </Form>
    </Dialog>
  );
}
