import { ErrorNote, type Language, Select, Skeleton, type ThemeChoice } from '@berth/ui';
import { useIdentities } from '../../api/shared-lists.ts';
import { useUser } from '../../api/use-rights.ts';
import { PageHead } from '../../components/page-head.tsx';
import { useLook } from '../../components/use-look.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { canUsePasskeys } from '../passkeys/passkey-browser.ts';
import { PasskeyList } from '../passkeys/passkey-list.tsx';
import { AccountSection } from './account-section.tsx';
import { LinkedIdentities } from './linked-identities.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';

/** Page of the person's own settings: profile, ways to sign in, theme and language. */
export function AccountPage() {
  const { t } = useConsoleTexts();
  const user = useUser();
  const identities = useIdentities();
  const person = user.data?.user;
  const error = user.error ?? identities.error;
  const retry = () => void Promise.all([user.refetch(), identities.refetch()]);
  return (
    <>
      <PageHead
        title={t('account.title')}
        command={{ cli: 'npx berth whoami', http: { method: 'GET', path: '/v1/user' }, secret: 'session' }}
      />
      {error && !(person && identities.data) && <ErrorNote error={error} onRetry={retry} />}
      {!error && !(person && identities.data) && <Skeleton shape="form" rows={4} />}
      {person && identities.data && (
        <div>
          <AccountSection title={t('account.profile')} text={t('account.profile.text')}>
            <ProfileForm key={person.name} person={person} />
          </AccountSection>
          {(canUsePasskeys(window) || !identities.data.has_password) && (
            <AccountSection title={t('passkeys.title')} text={t('passkeys.text')}>
              <PasskeyList person={person} />
            </AccountSection>
          )}
          {identities.data.has_password && (
            <AccountSection title={t('signIn.password')} text={t('password.text')}>
              <PasswordForm email={person.email} />
            </AccountSection>
          )}
          <LinkedIdentities />
          <AccountSection title={t('account.look')} text={t('account.look.text')}>
            <LookForm />
          </AccountSection>
        </div>
      )}
    </>
  );
}

/** Form for theme and language, which are kept in this browser. */
function LookForm() {
  const { t } = useConsoleTexts();
  const { theme, themes, setTheme, language, languages, setLanguage } = useLook();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select<ThemeChoice> label={t('shell.theme')} value={theme} options={themes} onChange={setTheme} />
      <Select<Language> label={t('shell.language')} value={language} options={languages} onChange={setLanguage} />
    </div>
  );
}
