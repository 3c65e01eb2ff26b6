import type { SignInProblem } from '@berth/contract';
import { buttonClass } from '@berth/ui';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';
import { ownPath, signInAddress } from './sign-in-address.ts';

/** Whether a retry may solve the problem. */
const IS_PASSING: Readonly<Record<SignInProblem, boolean>> = {
  not_offered: false,
  declined: true,
  expired: true,
  unavailable: true,
  refused: true,
  email_unverified: true,
  email_domain: true,
  email_taken: false,
  closed: false,
  invitation: false,
  linked_elsewhere: false,
  too_many: true,
};

/**
 * Page that says why a sign-in with a provider failed and what to do. The server redirects here with a code; no text
 * comes from the address.
 */
export function SignInProblemPage() {
  const { t } = useConsoleTexts();
  const query = new URLSearchParams(location.search);
  const named = query.get('problem') ?? '';
  const problem = Object.hasOwn(IS_PASSING, named) ? (named as SignInProblem) : 'refused';
  const provider = query.get('provider');
  const returnTo = ownPath(query.get('return_to'));
  return (
    <DoorPage title={t('ways.problem.title')} text={t(`ways.problem.${problem}`)}>
      <div className="flex flex-wrap gap-2">
        {provider !== null && IS_PASSING[problem] && (
          <a href={signInAddress(provider, returnTo)} className={buttonClass('primary')}>
            {t('ways.problem.again')}
          </a>
        )}
        <a href={returnTo} className={buttonClass()}>
          {t('ways.problem.back')}
        </a>
      </div>
    </DoorPage>
  );
}
