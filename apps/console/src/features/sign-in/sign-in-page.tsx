import { Skeleton } from '@berth/ui';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';
import { OtherWays } from './other-ways.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { useFirstRun } from './use-first-run.ts';
import { useSignInWays } from './use-sign-in-ways.ts';

/** Page with all ways to sign in. */
export function SignInPage() {
  const { t } = useConsoleTexts();
  // The page renders in one piece, because its centered content would move when more is added below.
  const { isPending, errorUpdateCount } = useSignInWays();
  // After a failure the form stays while the ways are read again: it would lose what was typed, and what it contains would
  // read them once more when it comes back.
  const isFirstRead = isPending && errorUpdateCount === 0;
  const { data: firstRun } = useFirstRun();
  if (firstRun?.is_needed) {
    const example = `${location.origin}/first-run#…`;
    return <DoorPage title={t('signIn.fresh.title')} text={t('signIn.fresh.text', { example })} />;
  }
  return (
    <DoorPage title={t('signIn.title')}>
      {isFirstRead ? (
        <Skeleton shape="form" rows={3} />
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
