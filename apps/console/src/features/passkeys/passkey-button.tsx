import { createSystemClock } from '@berth/kit';
import { Button, ErrorNote } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { FingerprintPattern } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { usePasskeyBrowser } from './passkey-browser-context.ts';
import { offerPasskeys, signInByPasskey } from './passkey-sign-in.ts';
import { usePasskeyWords } from './use-passkey-words.ts';

/** Button that signs in with a passkey. It also enables passkey autofill, which needs the email field on the page. */
export function PasskeyButton() {
  const { t } = useConsoleTexts();
  const { client, session } = useConsole();
  const browser = usePasskeyBrowser();
  const say = usePasskeyWords();
  const [offerError, setOfferError] = useState<unknown>();
  const ask = useMutation({ mutationFn: () => signInByPasskey({ client, session, browser }) });
  const isAsking = ask.isPending;
  useEffect(() => {
    // The browser allows one request at a time; the button's takes precedence.
    if (isAsking) return;
    const controller = new AbortController();
    offerPasskeys({ client, session, browser }, createSystemClock(), controller.signal).catch(setOfferError);
    return () => controller.abort();
  }, [isAsking, client, session, browser]);
  const error = ask.error ?? offerError;
  return (
    <>
      <Button
        icon={FingerprintPattern}
        isBusy={isAsking}
        onClick={() => {
          setOfferError(undefined);
          ask.mutate();
        }}
      >
        {t('signIn.passkey')}
      </Button>
      {error !== undefined && error !== null && <ErrorNote error={say(error)} />}
    </>
  );
}
