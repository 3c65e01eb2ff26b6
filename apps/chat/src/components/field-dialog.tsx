import { Button, Dialog, Field, Form, FormActions } from '@berth/ui';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { useChatTexts } from '../text/use-chat-texts.ts';

type Input = Partial<Pick<ComponentProps<typeof Field>, 'type' | 'dir' | 'maxLength' | 'autoComplete' | 'spellCheck'>>;

export interface FieldDialogProps extends Input {
  readonly title: string;
  readonly label: string;
  readonly hint?: string;
  /** The label of the submit button. */
  readonly action: string;
  /** The value at first; submitting it unchanged only closes the dialog. */
  readonly value?: string;
  readonly hasCancel?: boolean;
  /** Called with the new value; when it throws, the dialog shows the error and stays open. */
  onSubmit(value: string): Promise<void>;
  onClose(): void;
  /** Content below the form. */
  readonly children?: ReactNode;
}

/** A dialog that asks for one text, such as a name. */
export function FieldDialog(props: FieldDialogProps) {
  const { title, label, hint, action, value = '', hasCancel = false, onSubmit, onClose, children, ...input } = props;
  const { t } = useChatTexts();
  const [text, setText] = useState(value);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async () => {
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
      <Form error={error} onSubmit={() => void submit()}>
        <Field {...{ label, hint, dir: 'auto', required: true, ...input, value: text, onChange: setText }} />
        <FormActions>
          {hasCancel && <Button onClick={onClose}>{t('parts.cancel')}</Button>}
          <Button type="submit" look="primary" isBusy={isBusy}>
            {action}
          </Button>
        </FormActions>
      </Form>
      {children}
    </Dialog>
  );
}
