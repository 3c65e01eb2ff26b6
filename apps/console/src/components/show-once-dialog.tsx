import { Button, CopyCode, Dialog } from '@berth/ui';
import { useConsoleTexts } from '../text/use-console-texts.ts';

interface ShowOnceDialogProps {
  readonly title: string;
  readonly text: string;
  readonly code: string;
  onClose(): void;
}

/** Dialog with a secret that can't be shown again. It closes only by the button that says it was copied. */
export function ShowOnceDialog({ title, text, code, onClose }: ShowOnceDialogProps) {
  const { t } = useConsoleTexts();
  return (
    <Dialog title={title} description={text} isOpen onClose={onClose} canClose={false}>
      <CopyCode code={code} />
      <div className="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          {t('keys.done')}
        </Button>
      </div>
    </Dialog>
  );
}
