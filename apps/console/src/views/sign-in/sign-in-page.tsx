import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const { t } = useConsoleTexts();
  return (
    <DoorPage title={t('signIn.title')}>
      <SignInForm />
      <p className="mt-6 text-xs text-ink-soft">{t('signIn.none')}</p>
    </DoorPage>
  );
}
