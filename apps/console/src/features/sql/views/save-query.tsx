import { Button, Dialog, Field } from '@berth/ui';
import { type FormEvent, useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

export interface SaveQueryProps {
  onClose(): void;
  onSave(name: string): void;
}

/** Asks for the name of a query. */
export function SaveQuery({ onClose, onSave }: SaveQueryProps) {
  const { t } = useConsoleTexts();
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onSave(name.trim());
  };
  return (
    <Dialog title={t('sql.save.title')} description={t('sql.save.where')} isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label={t('sql.save.name')} value={name} onChange={setName} maxLength={100} required autoFocus />
        <Button type="submit" look="primary" className="self-end" disabled={name.trim() === ''}>
          {t('sql.save')}
        </Button>
      </form>
    </Dialog>
  );
}
