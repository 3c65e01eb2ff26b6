import { Button, Dialog, ErrorNote, Field } from '@berth/ui';
import { type FormEvent, useState } from 'react';

export interface PathDialogProps {
  readonly title: string;
  readonly label: string;
  readonly hint?: string;
  /** The label of the submit button. */
  readonly action: string;
  readonly value: string;
  /** Called with the new value; when it throws, the dialog shows the error and stays open. */
  onSubmit(value: string): Promise<void>;
  onClose(): void;
}

/** A dialog that asks for the name or path of a file or folder. */
export function PathDialog({ title, label, hint, action, value, onSubmit, onClose }: PathDialogProps) {
  const [text, setText] = useState(value);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      if (text.trim() !== value) await onSubmit(text.trim());
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <Field {...{ label, hint, dir: 'auto', required: true, spellCheck: false, value: text, onChange: setText }} />
        {error !== undefined && <ErrorNote error={error} />}
        <Button type="submit" look="primary" isBusy={isBusy} className="self-end">
          {action}
        </Button>
      </form>
    </Dialog>
  );
}
