import { Dialog } from '@berth/ui';
import { OtherWays } from '../features/sign-in/other-ways.tsx';
import { SignInForm } from '../features/sign-in/sign-in-form.tsx';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** The sign-in dialog for a session that expired. The page below keeps everything that was typed. */
export function SignInAgain({ isOpen }: { readonly isOpen: boolean }) {
  const { t } = useConsoleTexts();
  return (
    <Dialog
      title={t('signIn.again.title')}
      description={t('signIn.again.text')}
      isOpen={isOpen}
      canClose={false}
      onClose={() => {}}
    >
      <SignInForm />
      <OtherWays isAside />
    </Dialog>
  );
}
