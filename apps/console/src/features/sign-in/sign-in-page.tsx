import { Skeleton } from '@berth/ui';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';
import { OtherWays } from './other-ways.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { useSignInWays } from './use-sign-in-ways.ts';

export function SignInPage() {
  const { t } = useConsoleTexts();
  // Shown whole or not yet: what is in the middle would move when more comes under it.
  const { isPending } = useSignInWays();
  return (
    <DoorPage title={t('signIn.title')}>
      {isPending ? (
        <Skeleton rows={4} />
      ) : (
        <>
          <SignInForm />
          <OtherWays />
          <p className="mt-6 text-xs text-ink-soft">{t('signIn.none')}</p>
        </>
      )}
    </DoorPage>
  );
}
