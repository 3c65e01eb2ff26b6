import { useEffect } from 'react';
import { useConsole, useSessionState } from '../../api/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';
import { SignInPage } from './sign-in-page.tsx';

/** Page at the end of a sign-in in a separate window. Notifies the waiting pages and closes the window. */
export function SignedInPage() {
  const { t } = useConsoleTexts();
  const { session } = useConsole();
  const isSignedIn = useSessionState() === 'signed-in';
  useEffect(() => {
    if (!isSignedIn) return;
    session.tellTabs();
    // Browsers don't close a tab that no script opened; the tab then says what to do.
    window.close();
  }, [isSignedIn, session]);
  return isSignedIn ? <DoorPage title={t('ways.done.title')} text={t('ways.done.text')} /> : <SignInPage />;
}
