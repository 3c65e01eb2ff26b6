import { useEffect } from 'react';
import { useConsole, useSessionState } from '../../api/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';
import { SignInPage } from './sign-in-page.tsx';

/** Where a sign-in in a window of its own ends: the pages that wait are told, and the window closes. */
export function SignedInPage() {
  const { t } = useConsoleTexts();
  const { session } = useConsole();
  const isSignedIn = useSessionState() === 'signed-in';
  useEffect(() => {
    if (!isSignedIn) return;
    session.tellTabs();
    // A tab that no script opened stays, and says what to do.
    window.close();
  }, [isSignedIn, session]);
  return isSignedIn ? <DoorPage title={t('ways.done.title')} text={t('ways.done.text')} /> : <SignInPage />;
}
