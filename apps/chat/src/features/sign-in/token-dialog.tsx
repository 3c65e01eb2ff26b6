import { Button, Dialog, Field } from '@berth/ui';
import { useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface TokenDialogProps {
  onToken(token: string): void;
  onClose(): void;
}

/** A dialog that asks for a token when the agent has no sign-in that the page can open. */
export function TokenDialog({ onToken, onClose }: TokenDialogProps) {
  const { t } = useChatTexts();
  const [token, setToken] = useState('');
  return (
    <Dialog title={t('sign.in')} isOpen onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') onToken(token.trim());
        }}
      >
        <Field
          label={t('sign.token')}
          hint={t('sign.tokenHint')}
          {...{ type: 'password', required: true, autoComplete: 'off', dir: 'ltr', value: token, onChange: setToken }}
        />
        <Button type="submit" look="primary" className="self-end">
          {t('sign.in')}
        </Button>
      </form>
    </Dialog>
  );
}
